import type { Lease } from "#core/lease/leases.ts";
import type { BackfillOptions } from "#plugins/chain-scanner/lane/BackfillOptions.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import { giveUpOld } from "#plugins/chain-scanner/lane/giveUpOld.ts";
import type {
	BlockRange,
	LaneSource,
	RangeReading,
} from "#plugins/chain-scanner/lane/LaneSource.ts";
import { planDownward } from "#plugins/chain-scanner/lane/planDownward.ts";
import type { RangePlan } from "#plugins/chain-scanner/lane/planRange.ts";
import { restBeside } from "#plugins/chain-scanner/lane/restBeside.ts";
import { splitReading } from "#plugins/chain-scanner/lane/splitReading.ts";
import { writeRange } from "#plugins/chain-scanner/lane/writeRange.ts";
import {
	BACKFILL_ROWS_PER_WRITE_MAX,
	GENTLE_ROWS_PER_WRITE_MAX,
	type LaneTimes,
	SAMPLE_WORTH_BLOCKS,
} from "#plugins/chain-scanner/limits.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";
import { readHead } from "#plugins/chain-scanner/sql/cursor.ts";
import {
	type Gap,
	type GapReason,
	nextGap,
	setTopAside,
	shrinkGap,
} from "#plugins/chain-scanner/sql/gap.ts";

/** One lane's part of a chain's backfill, between its turns. */
export type GapDrain = {
	options: Omit<BackfillOptions, "times" | "sources"> & { times: LaneTimes; source: LaneSource };
	window: LogWindow;
	/** How often in a row one block was refused. */
	refusals: number;
	/** Other failures in a row. */
	failures: number;
	/** What it is at, or failed at last. */
	gap: Gap | null;
	asked: BlockRange | null;
};

/** Drains one window of what a lane owes; false when nothing is owed or another process does it. */
export async function drainGap(
	drain: GapDrain,
	hold: () => Promise<Lease | null>,
): Promise<boolean> {
	const { options } = drain;
	const { chainId, db, log, signal, source, times } = options;
	drain.asked = null;
	const lease = await hold();
	if (!lease) return false;
	await giveUpOld(options, lease);
	const owed = { chainId, lane: source.kind, restMs: times.refusedRestMs };
	const gap = await nextGap(db, owed);
	if (!gap) return false;
	if (gap.id !== drain.gap?.id || gap.to !== drain.gap.to) drain.refusals = 0;
	// What left the chain is taken out first: a gap may end among it.
	if (await drain.options.fork.check(lease, signal)) return true;
	const rest = restBeside(options.gate, signal);
	await rest();
	await measureWindow(drain, gap);
	const plan = planDownward({
		gap,
		head: Math.max(await readHead(db, chainId), options.headLeast ?? 0),
		blocksMax: drain.window.blocks,
		reorgDepthMax: options.reorgDepthMax,
	});
	const asked = plan.range;
	drain.gap = gap;
	drain.asked = asked;
	const reading = await readInTime(drain, plan, signal);
	if (!reading) return true;
	const { logCount, answerBytes } = reading;
	const answered = { logCount, answerBytes, blocks: asked.to - asked.from + 1 };
	drain.window.answered(answered);
	await rest();
	await write(drain, { lease, gap, reading, rest });
	drain.refusals = 0;
	drain.failures = 0;
	const left = asked.from - gap.from;
	log.info("backfilled", { lane: source.kind, from: asked.from, to: asked.to, left });
	return true;
}

/** The reading, or null when it took longer than a run may: then less is asked for. */
async function readInTime(
	drain: GapDrain,
	{ range, read }: RangePlan,
	stop: AbortSignal,
): Promise<RangeReading | null> {
	const { source, times, onFailure } = drain.options;
	const ceiling = AbortSignal.timeout(times.ceilingMs);
	try {
		return await source.read(range, { ...read, signal: AbortSignal.any([stop, ceiling]) });
	} catch (error) {
		if (!ceiling.aborted || stop.aborted) throw error;
		onFailure("lane_ceiling");
		drain.window.refused(drain.window);
		return null;
	}
}

/** A first look at how much the blocks hold, as lanes take it. */
async function measureWindow({ options, window }: GapDrain, gap: Gap): Promise<void> {
	const { source, signal } = options;
	const range = { from: Math.max(gap.from, gap.to - window.blocks + 1), to: gap.to };
	if (window.isMeasured || range.to - range.from + 1 < SAMPLE_WORTH_BLOCKS) return;
	const load = await source.sample?.(range, signal);
	if (load) window.answered(load);
}

type GapWrite = { lease: Lease; gap: Gap; reading: RangeReading; rest: () => Promise<void> };

/** From the top down, in small parts: the chain's lock is short, and the head lanes go first. */
async function write(
	{ options }: GapDrain,
	{ lease, gap, reading, rest }: GapWrite,
): Promise<void> {
	const { chainId, db, sinks, gate } = options;
	let left = gap;
	const rowsMax = gate ? GENTLE_ROWS_PER_WRITE_MAX : BACKFILL_ROWS_PER_WRITE_MAX;
	const parts = splitReading(reading, rowsMax);
	for (const { range, events, moved } of parts.reverse()) {
		const owed = left;
		const inRange = ({ number }: BlockRef) => number >= range.from && number <= range.to;
		// Below the reach of reorgs nothing has to be compared any more.
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
				commit: (tx) => shrinkGap(tx, owed, range.from),
			},
		);
		left = { ...owed, to: range.from - 1 };
		const done = { blocks: range.to - range.from + 1, events: events.length };
		options.onDrained?.({ lane: gap.lane, ...done });
		await rest();
	}
	reading.report();
}

/** Leaves the top block of a gap for later, so that what lies below it is not held up. */
export async function setAside(
	{ options }: GapDrain,
	refused: { lease: Lease; gap: Gap; code: GapReason; error: unknown },
): Promise<boolean> {
	const { chainId, db, log, source } = options;
	const { lease, gap, code, error } = refused;
	const range = { from: gap.to, to: gap.to };
	const nothing = { events: [], blocks: [], pruneBelow: 0, live: false };
	const write = { chainId, lane: source.kind, lease, range, ...nothing };
	await writeRange({ db, sinks: [] }, { ...write, commit: (tx) => setTopAside(tx, gap, code) });
	const context = { lane: source.kind, block: gap.to, code, error };
	// The first time is news; afterwards it is tried, and counted, once in a while.
	if (gap.tried) log.debug("a block is still refused", context);
	else log.error("a block is refused again and again; it is owed and tried later", context);
	return true;
}
