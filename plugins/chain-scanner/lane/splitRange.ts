import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

export type RangePart<Row> = { range: BlockRange; rows: Row[] };

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
