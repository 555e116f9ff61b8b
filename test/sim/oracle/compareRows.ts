import type { Rows, State } from "#test/sim/oracle/expectedRows.ts";

const TOLD_MAX = 12;

/** Where two states differ, in words; empty when they are equal row for row. */
export function compareRows(found: State, expected: State): string[] {
	const differences: string[] = [];
	for (const table of ["events", "collections", "minutes", "hours", "days"] as const) {
		differences.push(
			...compareTable(found[table], expected[table]).map((one) => `${table} ${one}`),
		);
	}
	const more = differences.length - TOLD_MAX;
	return more > 0 ? [...differences.slice(0, TOLD_MAX), `and ${more} more`] : differences;
}

function compareTable(found: Rows, expected: Rows): string[] {
	const differences: string[] = [];
	for (const [key, row] of expected) {
		const other = found.get(key);
		if (!other) {
			differences.push(`${key} is missing`);
			continue;
		}
		for (const column of new Set([...Object.keys(row), ...Object.keys(other)])) {
			const [is, should] = [other[column] ?? null, row[column] ?? null];
			if (is !== should) differences.push(`${key}: ${column} is ${is}, not ${should}`);
		}
	}
	for (const key of found.keys()) if (!expected.has(key)) differences.push(`${key} is too much`);
	return differences;
}
