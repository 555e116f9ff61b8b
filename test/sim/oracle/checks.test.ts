import { describe, expect, test } from "bun:test";
import { compareRows, replayFrames, type ToldFrame } from "#test/sim/oracle/checks.ts";
import type { State } from "#test/sim/oracle/expectedRows.ts";

describe("compareRows", () => {
	const state = (events: Record<string, Record<string, string | null>>): State => ({
		events: new Map(Object.entries(events)),
		collections: new Map(),
		minutes: new Map(),
		hours: new Map(),
		days: new Map(),
	});

	test("a missing row, an additional one and a wrong column are each reported", () => {
		const expected = state({ a: { x: "1", y: null }, b: { x: "1", y: null } });
		expect(compareRows(expected, expected)).toEqual([]);
		expect(compareRows(state({ a: { x: "1", y: null } }), expected)).toEqual([
			"events b is missing",
		]);
		const found = state({ a: { x: "2", y: null }, b: { x: "1", y: "0" }, "b again": { x: "1" } });
		expect(compareRows(found, expected)).toEqual([
			"events a: x is 2, not 1",
			"events b: y is 0, not null",
			"events b again is too much",
		]);
	});
});

describe("replayFrames", () => {
	const told = (id: string): ToldFrame => ({ type: "market_event", data: { id } });
	const back = (id: string): ToldFrame => ({ type: "market_event", data: { id, retracted: true } });
	const snapshot: ToldFrame = { type: "snapshot_required", data: {} };
	const other: ToldFrame = { type: "candle_update", data: {} };

	test("replayed frames without the retracted ones must equal the stored rows", () => {
		expect(replayFrames([told("a"), other, told("b"), back("a")], new Set(["b"]))).toEqual([]);
		expect(replayFrames([told("a")], new Set())).toEqual(["a is told and not stored"]);
		expect(replayFrames([told("a")], new Set(["a", "b"]))).toEqual(["b is stored and not told"]);
	});

	test("an event may return after it was retracted, and not before", () => {
		expect(replayFrames([told("a"), back("a"), told("a")], new Set(["a"]))).toEqual([]);
		expect(replayFrames([told("a"), told("a")], new Set(["a"]))).toEqual(["a is told twice"]);
		expect(replayFrames([back("a")], new Set())).toEqual(["a is taken back and was never told"]);
	});

	test("a snapshot may contain events without frames, and later frames still count", () => {
		expect(replayFrames([snapshot, back("a"), told("b")], new Set(["b", "c"]))).toEqual([]);
		expect(replayFrames([told("a"), snapshot], new Set())).toEqual([]);
		expect(replayFrames([snapshot, told("a")], new Set())).toEqual(["a is told and not stored"]);
	});
});
