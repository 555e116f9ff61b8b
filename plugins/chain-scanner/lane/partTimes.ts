import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** The times of a part's first and last block; null where only the range's are known. */
export type PartTimes = { firstMs: number | null; lastMs: number | null };

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
