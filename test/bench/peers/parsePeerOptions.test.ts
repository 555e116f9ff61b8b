import { expect, test } from "bun:test";
import { parsePeerOptions } from "#test/bench/peers/parsePeerOptions.ts";

const NAMES = ["subsquid", "subsquid-inserts", "ponder", "envio"];
const parse = (...args: string[]) => parsePeerOptions(args, NAMES);

test("without options all peers run on 80,000 rows and a node without delay or limit", () => {
	expect(parse()).toEqual({
		kind: "run",
		only: NAMES,
		rows: 80_000,
		limits: { delayMs: 0 },
		json: false,
	});
});

test("peers are named by how they begin, and in the order in which they run", () => {
	expect(parse("--only", "ENV", "--only", "sub")).toMatchObject({
		only: ["subsquid", "subsquid-inserts", "envio"],
	});
	expect(parse("--only", "nobody")).toEqual({
		kind: "wrong",
		problem: 'There is no peer "nobody".',
	});
});

test("a node can be far away and bill calls", () => {
	expect(parse("--delay", "50", "--calls", "100", "--rows", "8000")).toMatchObject({
		rows: 8_000,
		limits: { delayMs: 50, callsPerSecond: 100 },
	});
});

test("what is no number in its bounds is refused with the bounds", () => {
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
