// Polls each feed's newest round and unknown decimals; deletes old rounds.

import { readAbiUint } from "#core/chain/abi.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Tx } from "#core/db/Database.ts";
import { DECIMALS_MAX } from "#core/money.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { type Feed, feedKey } from "#plugins/prices/feed.ts";
import type { FeedSpans, ReadOptions, Span } from "#plugins/prices/history/createMemory.ts";
import { addSpan } from "#plugins/prices/history/fillGaps.ts";
import {
	FEED_DECIMALS_MAX,
	HEARTBEATS_MAX,
	HISTORY_MS,
	PRUNE_EVERY_MS,
	PRUNE_TIMEOUT_MS,
	ROUNDS_PER_PRUNE_MAX,
	ROUNDS_PER_REQUEST_MAX,
} from "#plugins/prices/limits.ts";
import { feedCalls, parseRound, type Round } from "#plugins/prices/round.ts";
import {
	type DecimalsOf,
	decimals,
	type FeedRef,
	lockWriters,
	openGap,
	pruneRounds,
	readNewestRound,
	saveRounds,
} from "#plugins/prices/sql/rounds.ts";

type Missing = { of: DecimalsOf; chainId: number; address: Address; placesMax: number; feed: Feed };

/** Makes a poll that reads every feed's newest round, and each contract's decimals once. */
export function createPoll(options: ReadOptions): (signal: AbortSignal) => Promise<void> {
	/** Chains that did not answer last time: each outage is one line in the log. */
	const silent = new Set<number>();
	return async (signal) => {
		const spans: FeedSpans = new Map();
		const unknown = await missingDecimals(options);
		for (const access of options.reached) {
			const { chain } = access;
			try {
				await readDecimals(options, access, { missing: unknown, spans, signal });
				await readNewest(options, access, { spans, signal });
				silent.delete(chain.id);
			} catch (error) {
				if (signal.aborted) return;
				options.metrics.failed(chain.slug);
				if (!silent.has(chain.id)) {
					options.log.warn("price feeds cannot be read", { chain: chain.slug, error });
				}
				silent.add(chain.id);
			}
		}
		if (spans.size > 0) await options.learned(spans);
	};
}

/** Makes a job that deletes rounds which no process keeps in memory any more. */
export function pruneRoundsJob({ db }: Pick<Core, "db">): Job {
	return {
		name: "prices.prune",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: PRUNE_TIMEOUT_MS,
		async run({ signal }) {
			while (!signal.aborted) {
				if ((await pruneRounds(db, HISTORY_MS)) < ROUNDS_PER_PRUNE_MAX) return;
			}
		},
	};
}

/** Returns contracts whose decimals are neither configured nor read yet. */
async function missingDecimals({ db, feeds }: ReadOptions): Promise<Missing[]> {
	const nameOf = (chainId: number, address: Address) => `${chainId}:${address}`;
	const [known, tokens] = await Promise.all([
		decimals.read(db, "feed"),
		decimals.read(db, "token"),
	]);
	const knownFeeds = new Set(known.map((row) => nameOf(row.chainId, row.address)));
	const knownTokens = new Set(tokens.map((row) => nameOf(row.chainId, row.address)));
	const missing = new Map<string, Missing>();
	for (const feed of feeds) {
		const { feedChainId, address, priced, currencyDecimals } = feed;
		if (!knownFeeds.has(feedKey(feed))) {
			const at = { chainId: feedChainId, address };
			missing.set(`feed ${feedKey(feed)}`, {
				of: "feed",
				...at,
				placesMax: FEED_DECIMALS_MAX,
				feed,
			});
		}
		const name = nameOf(priced.chainId, priced.currency);
		if (currencyDecimals === null && !knownTokens.has(name)) {
			const at = { chainId: priced.chainId, address: priced.currency };
			missing.set(`token ${name}`, { of: "token", ...at, placesMax: DECIMALS_MAX, feed });
		}
	}
	return [...missing.values()];
}

async function readDecimals(
	{ db, clock, metrics }: ReadOptions,
	{ chain, rpcFor }: ChainAccess,
	{
		missing,
		spans,
		signal,
	}: { missing: readonly Missing[]; spans: FeedSpans; signal: AbortSignal },
): Promise<void> {
	const own = missing.filter(({ chainId }) => chainId === chain.id);
	const answers = await ask(
		rpcFor("prices"),
		own.map(({ address }) => feedCalls.decimals(address)),
		signal,
	);
	for (const [index, { of, chainId, address, placesMax, feed }] of own.entries()) {
		const places = readAbiUint(answers[index]);
		if (places === null || places > BigInt(placesMax)) {
			metrics.rejected("decimals");
			continue;
		}
		await decimals.save(db, of, { chainId, address, decimals: Number(places) });
		// All answers of the feed ever become readable only now.
		const nowMs = clock.nowMs();
		addSpan(spans, feedKey(feed), { fromMs: nowMs - HISTORY_MS, toMs: nowMs });
	}
}

/** Returns results by call; null for one that the node refused. */
async function ask(rpc: Rpc, calls: readonly RpcCall[], signal: AbortSignal): Promise<unknown[]> {
	const answers: unknown[] = [];
	for (let from = 0; from < calls.length; from += ROUNDS_PER_REQUEST_MAX) {
		const part = calls.slice(from, from + ROUNDS_PER_REQUEST_MAX);
		for (const outcome of await rpc.settle(part, { signal })) {
			answers.push(outcome.kind === "result" ? outcome.result : null);
		}
	}
	return answers;
}

async function readNewest(
	options: ReadOptions,
	{ chain, rpcFor }: ChainAccess,
	{ spans, signal }: { spans: FeedSpans; signal: AbortSignal },
): Promise<void> {
	const { db, clock, feeds, metrics } = options;
	const own = new Map<string, Feed>();
	for (const feed of feeds) if (feed.feedChainId === chain.id) own.set(feedKey(feed), feed);
	const asked = [...own.values()];
	const calls = asked.map(({ address }) => feedCalls.latestRound(address));
	const answers = await ask(rpcFor("prices"), calls, signal);
	for (const [index, feed] of asked.entries()) {
		const parsed = parseRound(answers[index] ?? null, clock.nowMs());
		if (parsed.kind === "problem") {
			metrics.rejected(parsed.problem);
			continue;
		}
		const { round } = parsed;
		const span = await db.transaction((tx) => recordNewest(tx, feed, round));
		if (span) addSpan(spans, feedKey(feed), span);
	}
}

/**
 * Stores a newest round, and a gap between it and the newest known one to be read. Null where it
 * was known, or is older: endpoints lag behind each other.
 */
async function recordNewest(
	tx: Tx,
	feed: FeedRef & { heartbeatMs: number },
	round: Round,
): Promise<Span | null> {
	await lockWriters(tx);
	const known = await readNewestRound(tx, feed);
	if (known && known.id > round.id) return null;
	if ((await saveRounds(tx, feed, [round])) === 0) return null;
	const below = known?.id ?? 0n;
	if (round.id > below + 1n) {
		await openGap(tx, {
			feedChainId: feed.feedChainId,
			address: feed.address,
			below,
			above: round.id,
		});
	}
	const { updatedAtMs: fromMs } = round;
	return { fromMs, toMs: fromMs + HEARTBEATS_MAX * feed.heartbeatMs };
}
