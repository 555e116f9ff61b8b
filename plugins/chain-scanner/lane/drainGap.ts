// Reads one range of a lane's missing blocks, from the top of a gap downward, and writes it.

import type { Lease } from "#core/lease.ts";
import type { BackfillOptions, LogWindow, RangePlan } from "#plugins/chain-scanner/lane/model.ts";
import {
	type BackfillPace,
	backfillPace,
	giveUpOld,
	restBeside,
} from "#plugins/chain-scanner/lane/pace.ts";
import { partTimes, planDownward, splitReading } from "#plugins/chain-scanner/lane/planRange.ts";
import { type LaneTimes, SAMPLE_WORTH_BLOCKS } from "#plugins/chain-scanner/limits.ts";
import type { HeaderMemory, LaneSource, RangeReading } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";
import { readHead } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	type Gap,
	type GapReason,
	nextGap,
	setTopAside,
	shrinkGap,
} from "#plugins/chain-scanner/sql/gap.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

/** Holds one lane's part of a chain's backfill, between its turns. */
export type GapDrain = {
	options: Omit<BackfillOptions, "times" | "sources"> & { times: LaneTimes; source: LaneSource };
	/** The number of blocks that it requests at once, by its pace. */
	windows: Record<BackfillPace["kind"], LogWindow>;
	/** The number of times in a row that one block was refused. */
	refusals: number;
	/** Other failures in a row. */
	failures: number;
	/** The gap under way, or that failed last. */
	gap: Gap | null;
	asked: BlockRange | null;
	/** The newest stored block when the index was last verified to be of the node's chain. */
	soundAt: number | null;
	/** The range below, requested while the one above it is written. */
	ahead: AskedRange | null;
};

type GapWrite = { lease: Lease; gap: Gap; reading: RangeReading; rest: () => Promise<void> };

/** A requested range, its pending answer, and how to cancel it. */
export type AskedRange = {
	plan: RangePlan;
	reading: Promise<RangeReading>;
	/** Aborted where the answer took longer than a run may. */
	ceiling: AbortSignal;
	cancel(): void;
};

/**
 * Reads and stores one window of a lane's missing blocks; false when none is missing or another
 * process does it.
 */
export async function drainGap(
	drain: GapDrain,
	hold: () => Promise<Lease | null>,
): Promise<boolean> {
	const { options } = drain;
	const { chainId, db, log, signal, source, times, gate } = options;
	drain.asked = null;
	const lease = await hold();
	if (!lease) return false;
	await giveUpOld(options, lease);
	const owed = { chainId, lane: source.kind, restMs: times.refusedRestMs };
	const gap = await nextGap(db, owed);
	if (!gap) return false;
	if (gap.id !== drain.gap?.id || gap.to !== drain.gap.to) drain.refusals = 0;
	const head = Math.max(await readHead(db, chainId), options.headLeast ?? 0);
	// Blocks that left the chain are removed first: a gap may end among them. Checked once for each
	// head.
	if (head !== drain.soundAt && (await options.fork.check(lease, signal)).taken) return true;
	drain.soundAt = head;
	const rest = restBeside(gate, signal);
	await rest();
	const pace = backfillPace(gate);
	const window = drain.windows[pace.kind];
	await measureWindow(drain, window, gap);
	drain.gap = gap;
	const asked = takeAhead(drain, gap) ?? ask(drain, { gap, head, window });
	const { range } = asked.plan;
	drain.asked = range;
	const reading = await readInTime(drain, asked, window);
	if (!reading) return true;
	const { logCount, answerBytes } = reading;
	window.answered({ logCount, answerBytes, blocks: range.to - range.from + 1 });
	const below = { from: gap.from, to: range.from - 1 };
	if (pace.kind === "calm" && below.from <= below.to) {
		drain.ahead = ask(drain, { gap: below, head, window });
	}
	await rest();
	await write(drain, { lease, gap, reading, rest });
	drain.refusals = 0;
	drain.failures = 0;
	const left = range.from - gap.from;
	log.info("backfilled", { lane: source.kind, ...range, left });
	return true;
}

/** Cancels what was requested ahead: after a failure another range may be next. */
export function forgetAhead(drain: GapDrain): void {
	drain.ahead?.cancel();
	drain.ahead = null;
}

/** Leaves the top block of a gap for later, so that the blocks below it are not held up. */
export async function setAside(
	{ options }: GapDrain,
	refused: {
		lease: Lease;
		gap: Gap;
		why: { reason: GapReason; detail: string };
		error: unknown;
	},
): Promise<boolean> {
	const { chainId, db, log, source } = options;
	const { lease, gap, why, error } = refused;
	const range = { from: gap.to, to: gap.to };
	const nothing = { events: [], blocks: [], pruneBelow: 0, live: false };
	const write = { chainId, lane: source.kind, lease, range, ...nothing };
	await writeRange(
		{ db, sinks: [] },
		{ ...write, commit: (tx) => setTopAside(tx, { ...gap, detail: why.detail }, why.reason) },
	);
	const context = { lane: source.kind, block: gap.to, code: why.reason, error };
	// The first time is an error in the log; afterwards it is retried, and counted, now and then.
	if (gap.tried) log.debug("a block still cannot be read", context);
	else log.error("a block cannot be read; it is owed and tried later", context);
	return true;
}

/** Samples how much the blocks contain, as lanes do. */
async function measureWindow(
	{ options }: GapDrain,
	window: LogWindow,
	gap: BlockRange,
): Promise<void> {
	const { source, signal } = options;
	const range = { from: Math.max(gap.from, gap.to - window.blocks + 1), to: gap.to };
	if (window.isMeasured || range.to - range.from + 1 < SAMPLE_WORTH_BLOCKS) return;
	const load = await source.sample?.(range, signal);
	if (load) window.answered(load);
}

/** Returns what was requested ahead, if it is the top of the blocks that are missing now. */
function takeAhead(drain: GapDrain, gap: BlockRange): AskedRange | null {
	const { ahead } = drain;
	drain.ahead = null;
	if (!ahead) return null;
	const { from, to } = ahead.plan.range;
	if (to === gap.to && from >= gap.from) return ahead;
	ahead.cancel();
	return null;
}

function ask(
	{ options }: GapDrain,
	{ gap, head, window }: { gap: BlockRange; head: number; window: LogWindow },
): AskedRange {
	const { source, signal, times, reorgDepthMax, remembered } = options;
	const plan = planDownward({ gap, head, blocksMax: window.blocks, reorgDepthMax });
	return askRange(source, plan, { stop: signal, ceilingMs: times.ceilingMs, remembered });
}

/** Requests a range from a source; ends with `stop`, at `ceilingMs`, or when it is cancelled. */
export function askRange(
	source: LaneSource,
	plan: RangePlan,
	limits: { stop: AbortSignal; ceilingMs: number; remembered: HeaderMemory | undefined },
): AskedRange {
	const ceiling = AbortSignal.timeout(limits.ceilingMs);
	const cancelled = new AbortController();
	const signal = AbortSignal.any([limits.stop, ceiling, cancelled.signal]);
	const { remembered } = limits;
	const reading = source.read(plan.range, { ...plan.read, signal, remembered });
	// An awaiting caller gets the error; without one it must not go unhandled.
	reading.catch(() => {});
	return { plan, reading, ceiling, cancel: () => cancelled.abort() };
}

/** Returns the reading, or null when it took longer than a run may: then less is requested. */
async function readInTime(
	{ options }: GapDrain,
	{ reading, ceiling }: AskedRange,
	window: LogWindow,
): Promise<RangeReading | null> {
	try {
		return await reading;
	} catch (error) {
		if (!ceiling.aborted || options.signal.aborted) throw error;
		options.onFailure("lane_ceiling");
		window.refused(window);
		return null;
	}
}

/**
 * Writes from the top down, in small parts: the chain's lock is short, and the head lanes go first.
 */
async function write(
	{ options }: GapDrain,
	{ lease, gap, reading, rest }: GapWrite,
): Promise<void> {
	const { chainId, db, sinks, gate } = options;
	let left = gap;
	const parts = splitReading(reading, backfillPace(gate).rowsMax);
	for (const { range, events, moved } of parts.reverse()) {
		const owed = left;
		const { firstMs: fromAtMs } = partTimes({ range, events }, reading);
		const inRange = ({ number }: BlockRef) => number >= range.from && number <= range.to;
		// Below the reach of reorgs nothing must be compared any more.
		const blocks = reading.blocks.filter((block) => inRange(block) && !block.settled);
		await writeRange(
			{ db, sinks, gate },
			{
				chainId,
				lane: gap.lane,
				lease,
				range,
				events,
				moved: moved && { ...moved, inOrder: false },
				blocks,
				pruneBelow: 0,
				live: false,
				commit: (tx) => shrinkGap(tx, owed, { from: range.from, fromAtMs }),
			},
		);
		left = { ...owed, to: range.from - 1 };
		const done = { blocks: range.to - range.from + 1, events: events.length };
		options.onDrained?.({ lane: gap.lane, ...done });
		await rest();
	}
	reading.report();
}
