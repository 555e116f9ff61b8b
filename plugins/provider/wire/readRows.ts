import type { Reading } from "#plugins/provider/wire/Reading.ts";

export type ReadRows<Row> = { items: Row[]; unreadable: number };

/** Reads a list of at most `rowsMax`; a row that cannot be read costs itself and is counted. */
export function readRows<Row extends object>(
	rows: readonly unknown[],
	options: { rowsMax: number; read: (row: unknown) => Reading<Row> },
): ReadRows<Row> {
	const items: Row[] = [];
	let unreadable = 0;
	for (const row of rows.slice(0, options.rowsMax)) {
		const reading = options.read(row);
		if (reading === "unreadable") unreadable++;
		else if (reading !== "elsewhere") items.push(reading);
	}
	return { items, unreadable };
}
