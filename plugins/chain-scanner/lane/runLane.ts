// Reads and writes ranges in order, until the lane is level with the head.

import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Lease } from "#core/lease.ts";
import { sleep } from "#core/time.ts";
import { readTwice, settleEarly, storeEarly } from "#plugins/chain-scanner/early/storeEarly.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type {
	Asked,
	LaneOptions,
	LaneState,
	Position,
	RangePlan,
} from "#plugins/chain-scanner/lane/model.ts";
import {
	type PartTimes,
	partBlocks,
	partTimes,
	planRange,
	splitReading,
} from "#plugins/chain-scanner/lane/planRange.ts";
import {
	LIVE_BLOCKS_MAX,
	NOTHING_TO_TELL_MS,
	RANGES_AHEAD,
	RANGES_AHEAD_SCARCE,
	REST_MS_MAX,
	ROWS_PER_WRITE_MAX,
	SAMPLE_WORTH_BLOCKS,
} from "#plugins/chain-scanner/limits.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { moveCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { insertGap } from "#plugins/chain-scanner/sql/gap.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

/** A lane that holds its lease and knows its place. */
export type LaneRun = { options: LaneOptions; state: LaneState; lease: Lease; at: Position };

/**
 * Reads and writes until the head is reached or the ceiling ends the run. While one range is
 * written the next ones are fetched. Returns true when it ended early, because the node must be
 * asked about something before anything more is added.
 */
export async function runLane(run: LaneRun): Promise<boolean> {
	const { options, state, at } = run;
	const ceiling = AbortSignal.timeout(options.times.ceilingMs);
	const ended = new AbortController();
	const limit = AbortSignal.any([options.signal, ceiling, ended.signal]);
	let advanced = false;
	let unvouched = false;
	try {
		await measureWindow(run, limit);
		while (state.head && at.next <= state.head.number && !limit.aborted && !unvouched) {
			// The node is asked about that before anything is read that does not link.
			if (isNews(at, state.head)) break;
			const asked = at.ahead.shift() ?? ask(run, at.next, limit);
			assert(asked.range.from === at.next, "no block is left out between two ranges");
			at.asked = asked.range;
			// No turn may pass unused: while this range's values are read the next logs are requested.
			if (options.source.isScarce?.()) askAhead(run, asked.range.to, limit);
			const early = await firstOf(asked);
			if (early) await storeEarly(run, early);
			const answer = await unlessEnded(asked, { ceiling, stop: options.signal });
			if (!answer) break;
			mustFollow(at, answer);
			const reading = await settleEarly(run, answer);
			const blocks = reading.range.to - reading.range.from + 1;
			const { logCount, answerBytes } = reading;
			state.window.answered({ blocks, logCount, answerBytes });
			askAhead(run, reading.range.to, limit);
			await mustStand(run, reading);
			unvouched = await write(run, reading);
			advanced = true;
		}
	} finally {
		// What was fetched ahead belongs to this run: its signal ends with it.
		ended.abort();
		await Promise.allSettled(at.ahead.map(({ reading }) => reading));
		at.ahead = [];
	}
	// A range that takes longer than a whole run would be requested forever.
	if (ceiling.aborted && !advanced) {
		options.onFailure("lane_ceiling");
		state.window.refused(state.window);
	}
	if (unvouched) at.sound = null;
	return unvouched;
}

/**
 * Says whether a head means that the lane's blocks may have left the chain: one that the lane has
 * been past, with another hash than it knows, or one that does not link to the lane's own.
 */
export function isNews(
	at: Pick<Position, "cursor" | "cursorHash" | "sound">,
	head: Pick<Head, "number" | "hash" | "parentHash">,
): boolean {
	if (at.cursor === null || head.hash === at.sound) return false;
	if (head.number === at.cursor + 1) return head.parentHash !== at.cursorHash;
	return head.number <= at.cursor && head.hash !== at.cursorHash;
}

/** Samples how much the blocks contain, where many of them are about to be requested. */
async function measureWindow({ options, state, at }: LaneRun, signal: AbortSignal): Promise<void> {
	const { head, window } = state;
	if (!head || window.isMeasured || !options.source.sample) return;
	const range = { from: at.next, to: Math.min(at.next + window.blocks - 1, head.number) };
	if (range.to - range.from + 1 < SAMPLE_WORTH_BLOCKS) return;
	const load = await options.source.sample(range, signal);
	if (load) window.answered(load);
}

function ask(run: LaneRun, from: number, limit: AbortSignal): Asked {
	const { options, state } = run;
	const { head, window } = state;
	const plan = planRange({
		from,
		head: head?.number ?? from,
		blocksMax: window.blocks,
		reorgDepthMax: options.reorgDepthMax,
	});
	const { remembered } = options;
	const given = { ...plan.read, signal: limit, head, remembered };
	const read = () => options.source.read(plan.range, given);
	// History can wait while the node is asked about a new block.
	const isNear = head !== null && head.number - from < LIVE_BLOCKS_MAX;
	const canWait = !isNear || options.source.inOrder === true;
	const twice = head && from === head.number ? askTwice(run, { plan, head, limit }) : null;
	if (twice) return twice;
	const reading = canWait && options.gate ? options.gate.idle(REST_MS_MAX).then(read) : read();
	// Awaited when its turn comes; until then its failure must not go unhandled.
	reading.catch(() => {});
	return { range: plan.range, reading };
}

/**
 * Reads the newest block, if it links to the lane's own, also as nodes push it. For anything else,
 * a gap or a fork, only nodes' answers count.
 */
function askTwice(
	{ options, state, at }: LaneRun,
	asked: { plan: RangePlan; head: Head; limit: AbortSignal },
): Asked | null {
	const { plan, head, limit } = asked;
	const { pushed, source } = options;
	if (!pushed || !source.steps || at.sound === null || at.gap || at.early) return null;
	const follows = at.cursor === head.number - 1 && at.cursorHash === head.parentHash;
	if (!follows || state.earlyTried === head.hash) return null;
	const { remembered } = options;
	const given = { head, options: { ...plan.read, signal: limit, head, remembered } };
	const twice = readTwice(source.steps, pushed, given);
	twice.reading.catch(() => {});
	return { range: plan.range, ...twice };
}

/** Returns the block as it was pushed, if that is there before the node's answer; else null. */
async function firstOf({ early, reading }: Asked): Promise<RangeReading | null> {
	if (!early) return null;
	const answered = reading.then(
		() => null,
		() => null,
	);
	return Promise.race([early, answered]);
}

/** Returns the reading, or null when the ceiling ended it, which is no failure of the node. */
async function unlessEnded(
	{ reading }: Asked,
	signals: { ceiling: AbortSignal; stop: AbortSignal },
): Promise<RangeReading | null> {
	try {
		return await reading;
	} catch (error) {
		if (signals.ceiling.aborted && !signals.stop.aborted) return null;
		throw error;
	}
}

/** Throws where a reading does not link to the block at the cursor: it is of another fork. */
function mustFollow(at: Position, { range, parentHash }: RangeReading): void {
	const isNext = at.cursor !== null && range.from === at.cursor + 1;
	if (!isNext || at.cursorHash === null || at.cursorHash === parentHash) return;
	throw scannerFault.forked({ detail: `block ${range.from} does not follow on ours` });
}

/** Requests ranges ahead, so that the node works while a range is written. */
function askAhead(run: LaneRun, asked: number, limit: AbortSignal): void {
	const { options, state, at } = run;
	const ahead = options.source.isScarce?.() ? RANGES_AHEAD_SCARCE : RANGES_AHEAD;
	for (let last = at.ahead.at(-1)?.range.to ?? asked; at.ahead.length < ahead; ) {
		if (limit.aborted || last >= (state.head?.number ?? 0)) return;
		const next = ask(run, last + 1, limit);
		at.ahead.push(next);
		last = next.range.to;
	}
}

/**
 * Verifies the stored chain before a reading above a skipped block, which links to nothing: whether
 * the blocks below the hole are still of the same chain must be asked.
 */
async function mustStand({ options, at, lease }: LaneRun, reading: RangeReading): Promise<void> {
	if (!at.gap || reading.blocks.every(({ settled }) => settled)) return;
	const { taken } = await options.fork.check(lease, options.signal);
	if (!taken) return;
	throw scannerFault.forked({ detail: `below the hole at ${at.gap.range.from}` });
}

/** Writes a reading; true where blocks are stored that nothing confirms. */
async function write(run: LaneRun, reading: RangeReading): Promise<boolean> {
	const { options, state, at, lease } = run;
	const { chainId, source, db, sinks } = options;
	const head = Math.max(state.head?.number ?? 0, reading.range.to);
	const live = head - reading.range.from < LIVE_BLOCKS_MAX;
	let unvouched = false;
	for (const part of splitReading(reading, ROWS_PER_WRITE_MAX)) {
		const { range, events, rows } = part;
		const { toHash, ...recorded } = partBlocks(
			{ range, events: rows },
			reading,
			options.reorgDepthMax,
		);
		const times = partTimes(part, reading);
		const early = at.early ? at.early.events.size : 0;
		const commit = (tx: Tx) => advance(run, tx, { range, toHash, headBlock: head, times });
		const lane = source.kind;
		// A lane with events goes first: lanes take turns at the chain's lock.
		if (live && rows.length === 0) await sleep(NOTHING_TO_TELL_MS, options.signal);
		const written = await writeRange(
			{ db, sinks, gate: live ? undefined : options.gate },
			{
				...{ chainId, lane, lease, range, events, ...recorded, live, commit },
				moved: part.moved && { ...part.moved, inOrder: true },
			},
		);
		unvouched = written.unvouched;
		at.cursor = range.to;
		at.cursorHash = toHash;
		at.next = range.to + 1;
		at.gap = null;
		at.early = null;
		at.refusals = 0;
		state.restarted = false;
		options.onIndexed({ block: range.to, head, rows: rows.length + early });
	}
	reading.report();
	return unvouched;
}

/** Moves the cursor, and stores what it skips as a gap, in the same transaction. */
async function advance(
	{ options, at }: LaneRun,
	tx: Tx,
	move: { range: BlockRange; toHash: Hex; headBlock: number; times: PartTimes },
): Promise<boolean> {
	const { chainId, source, clock } = options;
	const { range, toHash, headBlock, times } = move;
	const lane = source.kind;
	const { cursor: from, early } = at;
	const moved = { from, to: range.to, toHash, headBlock, toAtMs: times.lastMs, early };
	const first = { block: range.from, atMs: times.firstMs };
	// Both are sent before anything else: a sink may roll back what was sent after its savepoint.
	const [, isOurs] = await Promise.all([
		at.gap ? insertGap(tx, { chainId, lane, ...at.gap, aboveAtMs: times.firstMs }) : undefined,
		moveCursor(tx, { chainId, lane, ...moved, atMs: clock.nowMs(), first }),
	]);
	return isOurs;
}
