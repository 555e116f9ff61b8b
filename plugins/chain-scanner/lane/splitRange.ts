import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { BlockRange } from "#plugins/chain-scanner/lane/LaneSource.ts";

export type RangePart = { range: BlockRange; events: ChainEvent[] };

/**
 * Cuts a range into parts of at most `rowsMax` events each, between blocks: a block is never
 * written in two transactions, so a part may exceed the limit when one block does.
 */
export function splitRange(
	range: BlockRange,
	events: readonly ChainEvent[],
	rowsMax: number,
): RangePart[] {
	const parts: RangePart[] = [];
	let start = 0;
	let from = range.from;
	while (events.length - start > rowsMax) {
		let cut = start + rowsMax;
		const block = events[cut]?.blockNumber;
		while (cut > start && events[cut - 1]?.blockNumber === block) cut--;
		if (cut === start) {
			cut = start + rowsMax;
			while (cut < events.length && events[cut]?.blockNumber === block) cut++;
		}
		const last = events[cut - 1]?.blockNumber ?? range.to;
		if (cut >= events.length) break;
		parts.push({ range: { from, to: last }, events: events.slice(start, cut) });
		start = cut;
		from = last + 1;
	}
	parts.push({ range: { from, to: range.to }, events: events.slice(start) });
	return parts;
}
