// Plans where a lane begins and which range it reads next, and splits what was read into parts.

import type { Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import type { ChainEvent, TokenMove } from "#plugins/chain-scanner/contract.ts";
import type {
	LaneOptions,
	LaneState,
	Position,
	RangePlan,
} from "#plugins/chain-scanner/lane/model.ts";
import {
	MOVES_PER_WRITE_MAX,
	UNSETTLED_RANGE_MAX,
	WINDOW_BLOCKS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import type { MoveReading, RangeReading } from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";

/** Holds where a lane begins after its process started. */
export type StartPlan = {
	/** The first block it reads. */
	next: number;
	/** The blocks that it leaves to backfill; null when nothing is skipped. */
	gap: BlockRange | null;
};

/** Holds what a part of a reading adds to the blocks that the index keeps for linking. */
export type PartBlocks = {
	blocks: BlockRef[];
	toHash: Hex;
	pruneBelow: number;
	/**
	 * A stored block with this number or a higher one proves that these are settled: a node that
	 * calls them new lags. Null: no such test.
	 */
	outdatedBy: number | null;
};

/** The times of a part's first and last block; null where only the range's are known. */
export type PartTimes = { firstMs: number | null; lastMs: number | null };

type Part = {
	range: BlockRange;
	events: readonly Pick<ChainEvent, "blockNumber" | "blockHash">[];
};

export type RangePart<Row> = { range: BlockRange; rows: Row[] };

/** Holds what goes into one transaction: events, or the transfer lane's moves. `rows` is either. */
export type ReadingPart = {
	range: BlockRange;
	rows: readonly (ChainEvent | TokenMove)[];
	events: readonly ChainEvent[];
	moved: MoveReading | null;
};

/**
 * Plans the next range upward: wholly below the reach of reorgs, or wholly within it. Within it
 * ranges are short, because every block's header is read with them.
 */
export function planRange(ask: {
	from: number;
	head: number;
	blocksMax: number;
	reorgDepthMax: number;
}): RangePlan {
	const { from, head, blocksMax, reorgDepthMax } = ask;
	const unsettledFrom = head - reorgDepthMax + 1;
	if (from >= unsettledFrom) {
		const to = Math.min(from + Math.min(blocksMax, UNSETTLED_RANGE_MAX) - 1, Math.max(head, from));
		return { range: { from, to }, read: { unsettledFrom, settledBy: null } };
	}
	const to = Math.min(from + blocksMax - 1, unsettledFrom - 1);
	return { range: { from, to }, read: { unsettledFrom, settledBy: to + reorgDepthMax } };
}

/**
 * Returns where a lane continues: at its cursor, or after a restart by the restart rule.
 *
 * The rule holds until a first write has committed. If it were dropped earlier, one failing write
 * after a long absence would send the lane through the whole span in order, away from the head.
 */
export async function findPosition(
	options: LaneOptions,
	state: LaneState,
	head: number,
): Promise<Position> {
	const { chainId, db, source, scanFrom, log } = options;
	const stored = await readCursor(db, chainId, source.kind);
	const cursor = stored?.blockNumber ?? null;
	const cursorHash = stored?.blockHash ?? null;
	const { soundAt } = state;
	const fresh = { cursorHash, sound: soundAt, asked: null, ahead: [], early: null, refusals: 0 };
	const goesOn = !state.restarted || source.inOrder === true;
	if (goesOn && cursor !== null) return { cursor, next: cursor + 1, gap: null, ...fresh };
	const at = cursor === null ? Math.min(state.headLowest ?? head, head) : head;
	const plan = planStart({ cursor, head: at, scanFrom });
	if (!plan.gap) return { cursor, next: plan.next, gap: null, ...fresh };
	log.warn("the lane was far behind; backfill owes the span", { ...plan.gap });
	return { cursor, next: plan.next, gap: { range: plan.gap, reason: "restart_behind" }, ...fresh };
}

/**
 * Plans a start at the head: a first start begins there, or at the operator's block. A restart
 * continues from its cursor when it is at most one window behind; else it begins at the head, so
 * that the newest rows come first, and the span between becomes a gap.
 */
export function planStart(options: {
	cursor: number | null;
	head: number;
	scanFrom: number | null;
}): StartPlan {
	const { cursor, head, scanFrom } = options;
	if (cursor === null) return { next: scanFrom ?? head, gap: null };
	const behind = head - cursor;
	if (behind <= WINDOW_BLOCKS_MAX) return { next: cursor + 1, gap: null };
	return { next: head, gap: { from: cursor + 1, to: head - 1 } };
}

/**
 * Plans the next range from the top of a gap: wholly below the reach of reorgs, or wholly within
 * it, as lanes read upward.
 */
export function planDownward(ask: {
	gap: BlockRange;
	head: number;
	blocksMax: number;
	reorgDepthMax: number;
}): RangePlan {
	const { gap, head, blocksMax, reorgDepthMax } = ask;
	const { to } = gap;
	const unsettledFrom = head - reorgDepthMax + 1;
	if (to >= unsettledFrom) {
		const lowest = to - Math.min(blocksMax, UNSETTLED_RANGE_MAX) + 1;
		const from = Math.max(gap.from, lowest, unsettledFrom);
		return { range: { from, to }, read: { unsettledFrom, settledBy: null } };
	}
	const from = Math.max(gap.from, to - blocksMax + 1);
	return { range: { from, to }, read: { unsettledFrom, settledBy: to + reorgDepthMax } };
}

/**
 * Returns the blocks of a part. Each part ends with a stored block, which the next one must link
 * to. A part of a settled range ends with its last event's block, whose header was not read.
 */
export function partBlocks(
	{ range, events }: Part,
	reading: Pick<RangeReading, "blocks">,
	reorgDepthMax: number,
): PartBlocks {
	const blocks = reading.blocks.filter(({ number }) => number >= range.from && number <= range.to);
	const known = blocks.at(-1);
	const settled = { pruneBelow: range.to, outdatedBy: null };
	if (known?.number === range.to) {
		const unsettled = {
			pruneBelow: range.to - reorgDepthMax,
			outdatedBy: range.to + 2 * reorgDepthMax,
		};
		return { blocks, toHash: known.hash, ...(known.settled ? settled : unsettled) };
	}
	const last = events.at(-1);
	assert(last?.blockNumber === range.to, "a part ends with the range or with an event");
	const end = { number: range.to, hash: last.blockHash, parentHash: null, settled: true };
	return { blocks: [...blocks, end], toHash: last.blockHash, ...settled };
}

/**
 * Returns the times of a part's ends. A reading knows its own ends; a part within it ends with its
 * last event's block.
 */
export function partTimes(
	{ range, events }: { range: BlockRange; events: readonly Pick<ChainEvent, "occurredAtMs">[] },
	reading: Pick<RangeReading, "range" | "madeMs">,
): PartTimes {
	const { madeMs } = reading;
	const isFirst = range.from === reading.range.from;
	const isLast = range.to === reading.range.to;
	return {
		firstMs: isFirst ? (madeMs?.first ?? null) : null,
		lastMs: isLast ? (madeMs?.last ?? null) : (events.at(-1)?.occurredAtMs ?? null),
	};
}

/**
 * Cuts a range into parts of at most `rowsMax` rows each, between blocks: a block is never
 * written in two transactions, so a part may exceed the limit when one block does.
 */
export function splitRange<Row extends { blockNumber: number }>(
	range: BlockRange,
	rows: readonly Row[],
	rowsMax: number,
): RangePart<Row>[] {
	const parts: RangePart<Row>[] = [];
	let start = 0;
	let from = range.from;
	while (rows.length - start > rowsMax) {
		let cut = start + rowsMax;
		const block = rows[cut]?.blockNumber;
		while (cut > start && rows[cut - 1]?.blockNumber === block) cut--;
		if (cut === start) {
			cut = start + rowsMax;
			while (cut < rows.length && rows[cut]?.blockNumber === block) cut++;
		}
		const last = rows[cut - 1]?.blockNumber ?? range.to;
		if (cut >= rows.length) break;
		parts.push({ range: { from, to: last }, rows: rows.slice(start, cut) });
		start = cut;
		from = last + 1;
	}
	parts.push({ range: { from, to: range.to }, rows: rows.slice(start) });
	return parts;
}

/** Splits a reading into parts of at most `rowsMax` rows; of moves, which cost more each, fewer. */
export function splitReading(
	{ range, events, moved }: Pick<RangeReading, "range" | "events" | "moved">,
	rowsMax: number,
): ReadingPart[] {
	if (!moved) {
		const parts = splitRange(range, events, rowsMax);
		return parts.map((part) => ({ ...part, events: part.rows, moved: null }));
	}
	const parts = splitRange(range, moved.moves, Math.min(rowsMax, MOVES_PER_WRITE_MAX));
	return parts.map((part) => ({ ...part, events: [], moved: { ...moved, moves: part.rows } }));
}
