import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** When the first and the last block of a part were made; null where only the others' is known. */
export type PartTimes = { firstMs: number | null; lastMs: number | null };

/**
 * Answers when the ends of a part were made. A reading knows its own ends; a part within it ends
 * with its last event's block.
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
