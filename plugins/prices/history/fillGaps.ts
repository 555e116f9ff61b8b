// Reads missing rounds of feeds, from the newest downward.

import { readAbiUint } from "#core/chain/abi.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Tx } from "#core/db/Database.ts";
import { type Feed, feedKey } from "#plugins/prices/feed.ts";
import type { FeedSpans, ReadOptions, Span } from "#plugins/prices/history/createMemory.ts";
import {
	HEARTBEATS_MAX,
	HISTORY_MS,
	ROUNDS_PER_FEED_MAX,
	ROUNDS_PER_REQUEST_MAX,
} from "#plugins/prices/limits.ts";
import { feedCalls, parseRound, type Round } from "#plugins/prices/round.ts";
import {
	type Gap,
	type GapEnd,
	lockWriters,
	readNewestRound,
	readOpenGaps,
	saveRounds,
	shrinkGap,
} from "#plugins/prices/sql/rounds.ts";

type Found = { gap: Gap; feed: Feed };

type Filling = ReadOptions & { rpc: Rpc; signal: AbortSignal; spans: FeedSpans };

type Part = Found & {
	above: bigint;
	asked: number;
	end: GapEnd;
	rounds: readonly Round[];
};

/** Behind a proxy a round's id is the phase (one aggregator) above 64 bits of its own number. */
export const PHASE_BITS = 64n;

const NUMBER_MASK = (1n << PHASE_BITS) - 1n;

/**
 * Makes a job that reads missing rounds, newest first: one part for each chain in a run, so that it
 * hardly loads the node. It continues where the last run ended, in whichever process.
 */
export function createFillGaps(options: ReadOptions): (signal: AbortSignal) => Promise<void> {
	const silent = new Set<number>();
	return async (signal) => {
		const spans: FeedSpans = new Map();
		const gaps = await readOpenGaps(options.db);
		for (const { chain, rpcFor } of options.reached) {
			const found = firstOf(gaps, options.feeds, chain.id);
			if (!found || signal.aborted) continue;
			try {
				await fillPart({ ...options, rpc: rpcFor("price_history"), signal, spans }, found);
				silent.delete(chain.id);
			} catch (error) {
				if (signal.aborted) return;
				options.metrics.failed(chain.slug);
				if (!silent.has(chain.id)) {
					options.log.warn("history of prices waits", { chain: chain.slug, error });
				}
				silent.add(chain.id);
			}
		}
		if (spans.size > 0) await options.learned(spans);
	};
}

/** Widens a feed's span so that it includes this one too. */
export function addSpan(spans: FeedSpans, feed: string, span: Span): void {
	const known = spans.get(feed) ?? span;
	spans.set(feed, {
		fromMs: Math.min(known.fromMs, span.fromMs),
		toMs: Math.max(known.toMs, span.toMs),
	});
}

/**
 * Returns the rounds of one phase below `above`, newest first, down to but without `below`. Numbers
 * begin at 1 in each phase; empty where the phase is read.
 */
export function roundsBelow(
	above: bigint,
	{ below, countMax }: { below: bigint; countMax: number },
): bigint[] {
	const ids: bigint[] = [];
	for (let id = above - 1n; ids.length < countMax && id > below; id--) {
		if ((id & NUMBER_MASK) === 0n || id >> PHASE_BITS !== above >> PHASE_BITS) break;
		ids.push(id);
	}
	return ids;
}

/** Returns the phase before; null where ids have no phase, or it was the first. */
export function lowerPhase(id: bigint): bigint | null {
	const phase = id >> PHASE_BITS;
	return phase > 1n ? phase - 1n : null;
}

function firstOf(gaps: readonly Gap[], feeds: readonly Feed[], chainId: number): Found | null {
	for (const gap of gaps) {
		if (gap.feedChainId !== chainId) continue;
		const feed = feeds.find((one) => feedKey(one) === feedKey(gap));
		// The gap of a feed that is not configured any more waits until it is back.
		if (feed) return { gap, feed };
	}
	return null;
}

async function fillPart(filling: Filling, { gap, feed }: Found): Promise<void> {
	const { db, clock, metrics } = filling;
	const ids = roundsBelow(gap.above, { below: gap.below, countMax: ROUNDS_PER_REQUEST_MAX });
	if (ids.length === 0) {
		const above = await endOfLowerPhase(filling, gap);
		const end = endOfPhase(gap, above);
		await db.transaction(async (tx) => {
			await lockWriters(tx);
			await close(tx, filling, { gap, feed, above: above ?? gap.above, asked: 1, end, rounds: [] });
		});
		return;
	}
	const rounds: Round[] = [];
	let isOld = false;
	const oldestMs = clock.nowMs() - HISTORY_MS;
	for (const [index, answer] of (await askTwice(filling, gap, ids)).entries()) {
		const parsed = parseRound(answer, clock.nowMs());
		if (parsed.kind === "problem") {
			if (parsed.problem !== "missing") metrics.rejected(parsed.problem);
			continue;
		}
		// A node that answers another round than was asked for is not believed.
		if (parsed.round.id !== ids[index]) metrics.rejected("malformed");
		else if (parsed.round.updatedAtMs < oldestMs) isOld = true;
		else rounds.push(parsed.round);
	}
	const last = ids.at(-1) ?? gap.above;
	const end = endOf(gap, { last, asked: ids.length, isOld });
	await db.transaction(async (tx) => {
		await lockWriters(tx);
		await close(tx, filling, { gap, feed, above: last, asked: ids.length, end, rounds });
	});
}

/** Returns the last round of the phase before plus one, by its aggregator; null without one. */
async function endOfLowerPhase({ rpc, signal }: Filling, gap: Gap): Promise<bigint | null> {
	const phase = lowerPhase(gap.above);
	if (phase === null) return null;
	const [named] = await rpc.settle([feedCalls.phaseAggregator(gap.address, phase)], { signal });
	const aggregator = named?.kind === "result" ? readAbiUint(named.result) : null;
	if (aggregator === null || aggregator === 0n || aggregator >> 160n !== 0n) return null;
	const address: `0x${string}` = `0x${aggregator.toString(16).padStart(40, "0")}`;
	const [newest] = await rpc.settle([feedCalls.latestRoundId(address)], { signal });
	const last = newest?.kind === "result" ? readAbiUint(newest.result) : null;
	if (last === null || last === 0n || last >> PHASE_BITS !== 0n) return null;
	return ((phase << PHASE_BITS) | last) + 1n;
}

/**
 * Decides a gap's end where no lower phase is found: history ends there, but a gap between known
 * rounds stays one.
 */
function endOfPhase(gap: Gap, above: bigint | null): GapEnd {
	if (above === null) return gap.below > 0n ? "given_up" : "done";
	return above <= gap.below + 1n ? "done" : "more";
}

/** Stores a part and its progress in one commit, and notes what became known by it. */
async function close(tx: Tx, { spans }: Filling, part: Part): Promise<void> {
	const { gap, feed, rounds, above, asked, end } = part;
	if (!(await shrinkGap(tx, gap, { above, asked, end }))) return;
	await saveRounds(tx, feed, rounds);
	const times = rounds.map(({ updatedAtMs }) => updatedAtMs);
	// How long the round below was valid becomes known when the gap closes.
	const below =
		end === "done" && gap.below > 0n ? await readNewestRound(tx, feed, gap.below) : null;
	if (below) times.push(below.updatedAtMs);
	if (times.length === 0) return;
	const heldMs = HEARTBEATS_MAX * feed.heartbeatMs;
	const span = { fromMs: Math.min(...times), toMs: Math.max(...times) + heldMs };
	tx.afterCommit(() => addSpan(spans, feedKey(feed), span));
}

/**
 * Returns answers by round. A call that a node refuses is repeated once: a missing round reverts
 * twice in a row, other failures rarely do.
 */
async function askTwice(
	{ rpc, signal }: Filling,
	{ address }: Gap,
	ids: readonly bigint[],
): Promise<unknown[]> {
	const calls: RpcCall[] = ids.map((id) => feedCalls.round(address, id));
	const answers: unknown[] = [];
	const refused: number[] = [];
	for (const [index, outcome] of (await rpc.settle(calls, { signal })).entries()) {
		answers.push(outcome.kind === "result" ? outcome.result : null);
		if (outcome.kind === "fault") refused.push(index);
	}
	if (refused.length === 0) return answers;
	const again = refused.flatMap((index) => calls[index] ?? []);
	for (const [place, outcome] of (await rpc.settle(again, { signal })).entries()) {
		const index = refused[place];
		if (index !== undefined && outcome.kind === "result") answers[index] = outcome.result;
	}
	return answers;
}

function endOf(
	gap: Gap,
	{ last, asked, isOld }: { last: bigint; asked: number; isOld: boolean },
): GapEnd {
	if (last <= gap.below + 1n || isOld) return "done";
	return gap.roundsAsked + asked >= ROUNDS_PER_FEED_MAX ? "given_up" : "more";
}
