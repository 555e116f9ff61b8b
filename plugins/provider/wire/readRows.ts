import type { Reading } from "#plugins/provider/wire/Reading.ts";

export type ReadRows<Row> = {
	items: Row[];
	unreadable: number;
	/** The time of each unreadable row, where `timeOf` is given. */
	unreadableAtMs: (number | null)[];
};

export type RowsReading<Row extends object> = {
	read: (row: unknown) => Reading<Row>;
	/** Returns when an unreadable row happened; null where it does not say. */
	timeOf?: (row: unknown) => number | null;
};

/** Reads a list of at most `rowsMax`; an unreadable row costs only itself and is counted. */
export function readRows<Row extends object>(
	rows: readonly unknown[],
	{ rowsMax, read, timeOf }: RowsReading<Row> & { rowsMax: number },
): ReadRows<Row> {
	const items: Row[] = [];
	const unreadableAtMs: (number | null)[] = [];
	let unreadable = 0;
	for (const row of rows.slice(0, rowsMax)) {
		const reading = read(row);
		if (reading === "unreadable") {
			unreadable++;
			if (timeOf) unreadableAtMs.push(timeOf(row));
		} else if (reading !== "elsewhere") items.push(reading);
	}
	return { items, unreadable, unreadableAtMs };
}
