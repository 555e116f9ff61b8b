import { describe, expect, test } from "bun:test";
import { parsePeerOptions, renderPeers } from "#test/bench/peers/parsePeerOptions.ts";

describe("parsePeerOptions", () => {
	const NAMES = ["subsquid", "subsquid-inserts", "ponder", "envio"];
	const parse = (...args: string[]) => parsePeerOptions(args, NAMES);

	test("all peers run on 80,000 rows and an unlimited node if there are no options", () => {
		expect(parse()).toEqual({
			kind: "run",
			only: NAMES,
			rows: 80_000,
			limits: { delayMs: 0 },
			json: false,
		});
	});

	test("peers are selected by the beginning of their name, and listed in the order in which they run", () => {
		expect(parse("--only", "ENV", "--only", "sub")).toMatchObject({
			only: ["subsquid", "subsquid-inserts", "envio"],
		});
		expect(parse("--only", "nobody")).toEqual({
			kind: "wrong",
			problem: 'There is no peer "nobody".',
		});
	});

	test("a node can be configured as distant and as billed", () => {
		expect(parse("--delay", "50", "--calls", "100", "--rows", "8000")).toMatchObject({
			rows: 8_000,
			limits: { delayMs: 50, callsPerSecond: 100 },
		});
	});

	test("--metered is a provider's delay and limit, with the peers that can do with them", () => {
		const metered = parsePeerOptions(["--metered"], NAMES, ["subsquid", "subsquid-inserts"]);
		expect(metered).toMatchObject({
			only: ["subsquid", "subsquid-inserts"],
			limits: { delayMs: 50, callsPerSecond: 100 },
		});
		expect(parse("--metered", "--only", "ponder")).toMatchObject({ only: [] });
		expect(parse("--metered", "--calls", "7")).toMatchObject({ kind: "wrong" });
	});

	test("a number out of its bounds is refused with the bounds", () => {
		for (const args of [
			["--rows", "1"],
			["--rows", "many"],
			["--delay", "-1"],
			["--calls", "0"],
		]) {
			expect(parse(...args)).toMatchObject({ kind: "wrong" });
		}
		expect(parse("--calls", "0")).toMatchObject({
			problem: "--calls takes a whole number from 1 to 1000000.",
		});
		expect(parse("--unknown")).toMatchObject({ kind: "wrong" });
		expect(parse("--help")).toEqual({ kind: "help" });
	});
});

describe("renderPeers", () => {
	test("each peer is shown beside our own mean rate, and a missing measurement is not shown as zero", () => {
		const ours = { title: "Tapeline", rowsPerSecond: 20_000, seconds: 4, cpuSeconds: 2.5 };
		const measured = {
			postgresCpuSeconds: 1,
			requests: 60,
			calls: 3_500,
			nameCalls: 64,
			refused: 0,
			peakMb: 180.4,
		};
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
			"64",
			"0",
			"180",
		]);
		expect(cells[3]?.slice(1, 5)).toEqual(["floor", "40,000", "× 0.50", "2.00"]);
		expect(cells[3]?.slice(5, -1)).toEqual(["–", "–", "–", "–", "–", "–", "–"]);
		expect(new Set(table.split("\n").map(({ length }) => length)).size).toBe(1);
	});

	test("a peer's row has no comparison without a run of ours", () => {
		const table = renderPeers([{ title: "a peer", rowsPerSecond: 100, seconds: 2 }], Number.NaN);
		expect(table.split("\n")[2]).toContain("|           – |");
	});
});
