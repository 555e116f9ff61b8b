import { expect, test } from "bun:test";
import { replayFrames, type ToldFrame } from "#test/sim/oracle/replayFrames.ts";

const told = (id: string): ToldFrame => ({ type: "market_event", data: { id } });
const back = (id: string): ToldFrame => ({ type: "market_event", data: { id, retracted: true } });
const snapshot: ToldFrame = { type: "snapshot_required", data: {} };
const other: ToldFrame = { type: "candle_update", data: {} };

test("what was told and not taken back must be what is stored", () => {
	expect(replayFrames([told("a"), other, told("b"), back("a")], new Set(["b"]))).toEqual([]);
	expect(replayFrames([told("a")], new Set())).toEqual(["a is told and not stored"]);
	expect(replayFrames([told("a")], new Set(["a", "b"]))).toEqual(["b is stored and not told"]);
});

test("an event may come back after it was taken back, and not before", () => {
	expect(replayFrames([told("a"), back("a"), told("a")], new Set(["a"]))).toEqual([]);
	expect(replayFrames([told("a"), told("a")], new Set(["a"]))).toEqual(["a is told twice"]);
	expect(replayFrames([back("a")], new Set())).toEqual(["a is taken back and was never told"]);
});

test("a snapshot may tell what no frame did, and frames after it still count", () => {
	expect(replayFrames([snapshot, back("a"), told("b")], new Set(["b", "c"]))).toEqual([]);
	expect(replayFrames([told("a"), snapshot], new Set())).toEqual([]);
	expect(replayFrames([snapshot, told("a")], new Set())).toEqual(["a is told and not stored"]);
});
