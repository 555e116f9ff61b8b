import { type EntryView, entrySchema } from "#plugins/tokenomics/treasury/renderEntry.ts";

const COLUMNS = Object.keys(entrySchema.shape).filter((name): name is keyof EntryView => {
	return name in entrySchema.shape;
});

/** A spreadsheet takes a cell that begins so for a formula, and runs it. */
const FORMULA = /^[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/**
 * Writes entries as CSV (RFC 4180) with a line of names. A source is text that anybody chose: no
 * cell is a formula. One that would be gets an apostrophe in front, which spreadsheets do not show.
 */
export function csvOf(rows: readonly EntryView[]): string {
	const lines = rows.map((row) => COLUMNS.map((name) => cellOf(row[name])).join());
	return `${[COLUMNS.join(), ...lines].join("\r\n")}\r\n`;
}

function cellOf(value: EntryView[keyof EntryView]): string {
	if (value === null) return "";
	const text = Array.isArray(value) ? value.join(" ") : String(value);
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
