import { expect, test } from "bun:test";
import { compareRows } from "#test/sim/oracle/compareRows.ts";
import type { State } from "#test/sim/oracle/expectedRows.ts";

const state = (events: Record<string, Record<string, string | null>>): State => ({
	events: new Map(Object.entries(events)),
	collections: new Map(),
	minutes: new Map(),
	hours: new Map(),
	days: new Map(),
});

test("a missing row, one too many and a wrong column are each told", () => {
	const expected = state({ a: { x: "1", y: null }, b: { x: "1", y: null } });
	expect(compareRows(expected, expected)).toEqual([]);
	expect(compareRows(state({ a: { x: "1", y: null } }), expected)).toEqual(["events b is missing"]);
	const found = state({ a: { x: "2", y: null }, b: { x: "1", y: "0" }, "b again": { x: "1" } });
	expect(compareRows(found, expected)).toEqual([
		"events a: x is 2, not 1",
		"events b: y is 0, not null",
		"events b again is too much",
	]);
});
