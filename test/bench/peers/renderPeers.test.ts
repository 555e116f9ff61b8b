import { expect, test } from "bun:test";
import { renderPeers } from "#test/bench/peers/renderPeers.ts";

test("each is beside our own mean rate, and what was not measured is not zero", () => {
	const ours = { title: "Tapeline", rowsPerSecond: 20_000, seconds: 4, cpuSeconds: 2.5 };
	const measured = { postgresCpuSeconds: 1, requests: 60, calls: 3_500, refused: 0, peakMb: 180.4 };
	const floor = { title: "floor", rowsPerSecond: 40_000, seconds: 2, calls: Number.NaN };
	const table = renderPeers([{ ...ours, ...measured }, floor], 20_000);
	const cells = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
	expect(cells[2]?.slice(1, -1)).toEqual([
		"Tapeline",
		"20,000",
		"× 1.00",
		"4.00",
		"2.5",
		"1.0",
		"60",
		"3,500",
		"0",
		"180",
	]);
	expect(cells[3]?.slice(1, 5)).toEqual(["floor", "40,000", "× 0.50", "2.00"]);
	expect(cells[3]?.slice(5, -1)).toEqual(["–", "–", "–", "–", "–", "–"]);
	expect(new Set(table.split("\n").map(({ length }) => length)).size).toBe(1);
});

test("without a run of ours nothing is beside it", () => {
	const table = renderPeers([{ title: "a peer", rowsPerSecond: 100, seconds: 2 }], Number.NaN);
	expect(table.split("\n")[2]).toContain("|           – |");
});
