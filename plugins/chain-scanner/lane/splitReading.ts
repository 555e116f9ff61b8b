import type { ChainEvent, TokenMove } from "#plugins/chain-scanner/contract.ts";
import { splitRange } from "#plugins/chain-scanner/lane/splitRange.ts";
import { MOVES_PER_WRITE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { MoveReading, RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** What goes into one transaction: events, or the transfer lane's moves. `rows` is either. */
export type ReadingPart = {
	range: BlockRange;
	rows: readonly (ChainEvent | TokenMove)[];
	events: readonly ChainEvent[];
	moved: MoveReading | null;
};

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
