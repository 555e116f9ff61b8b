import type { ChainEvent, TokenMove } from "#plugins/chain-scanner/contract.ts";
import type { LogWindow, RangePlan } from "#plugins/chain-scanner/lane/model.ts";
import {
	ANSWER_BYTES_AIM,
	LOGS_PER_QUERY_MAX,
	MOVES_PER_WRITE_MAX,
	PATIENCE_WINDOWS_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import type {
	BlockLoad,
	HeaderMemory,
	LaneSource,
	MoveReading,
	RangeReading,
} from "#plugins/chain-scanner/range/model.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** A requested range, its pending answer, and how to cancel it. */
export type AskedRange = {
	plan: RangePlan;
	reading: Promise<RangeReading>;
	/** Aborted where the answer took longer than a run may. */
	ceiling: AbortSignal;
	cancel(): void;
};

export type RangePart<Row> = { range: BlockRange; rows: Row[] };

/** What goes into one transaction: events, or the transfer lane's moves. `rows` is either. */
export type ReadingPart = {
	range: BlockRange;
	rows: readonly (ChainEvent | TokenMove)[];
	events: readonly ChainEvent[];
	moved: MoveReading | null;
};

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

/**
 * Makes a window that starts at its widest, for a lane 1,000 blocks. It is halved when a query
 * returned more than 10,000 logs or a range was refused; doubled again, up to its widest, while
 * full windows leave room for it. It is never larger than what, at the last blocks' size, fits into
 * one answer: a refused answer is wasted, and costs the node as much as an accepted one. Backfill
 * beside a live head aims lower: while a large answer is decoded, nothing else is.
 *
 * A refused width is remembered: the window does not grow back to it until full windows contained
 * so little that the chain must have changed. Without that it would be refused at every second
 * request.
 */
export function createLogWindow(
	widest = WINDOW_BLOCKS_MAX,
	answerBytesAim = ANSWER_BYTES_AIM,
): LogWindow {
	const roomFor = ({ blocks, answerBytes }: BlockLoad) =>
		answerBytes === 0 ? widest : (answerBytesAim * blocks) / answerBytes;
	let blocks = widest;
	let blocksMax = widest;
	let isMeasured = false;
	/** Full windows with little content that must come before a refused width is tried again. */
	let patience = 1;
	let quiet = 0;
	return {
		get blocks() {
			return blocks;
		},
		get isMeasured() {
			return isMeasured;
		},
		answered(load) {
			isMeasured = true;
			const fitting = Math.max(WINDOW_BLOCKS_MIN, Math.floor(roomFor(load)));
			if (load.blocks >= blocks) {
				if (load.logCount > LOGS_PER_QUERY_MAX) {
					blocks = Math.min(blocks, halved(load.blocks, 1));
				} else if (load.logCount * 2 <= LOGS_PER_QUERY_MAX && blocks * 2 <= fitting) {
					if (blocks === blocksMax && blocks * 8 <= fitting && ++quiet >= patience) {
						blocksMax = Math.min(widest, blocksMax * 2);
						quiet = 0;
					}
					blocks = Math.min(blocksMax, blocks * 2);
				}
			}
			blocks = Math.min(blocks, fitting);
		},
		refused(asked) {
			// By the requested width: a range that the head cut short says nothing about a wide window.
			let times = 1;
			for (let left = (asked.timesTooLarge ?? 1) / 2; left > 1; left /= 2) times++;
			// Ranges requested ahead have the former width, and were refused for that.
			const less = Math.min(blocks, halved(asked.blocks, times));
			// A provider that states its limit of blocks says more than could be learned.
			const told = asked.blocksMax ?? 0;
			const isTold = told >= WINDOW_BLOCKS_MIN && told < asked.blocks;
			// Some state the same for every chain, forever: each time it is tried less often.
			if (isTold) patience = Math.min(patience * 2, PATIENCE_WINDOWS_MAX);
			blocks = isTold ? Math.min(blocks, told) : less;
			blocksMax = blocks;
			quiet = 0;
		},
	};
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

function halved(blocks: number, times: number): number {
	return Math.max(WINDOW_BLOCKS_MIN, Math.floor(blocks / 2 ** times));
}
