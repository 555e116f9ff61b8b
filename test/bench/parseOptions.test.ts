import { expect, test } from "bun:test";
import { parseOptions } from "#test/bench/parseOptions.ts";

const names = ["floor rows/s", "rpc requests"];

test("every figure is measured and a table printed if there are no arguments", () => {
	expect(parseOptions([], names)).toEqual({
		kind: "run",
		only: null,
		isFull: false,
		json: false,
		write: false,
		runs: 5,
		profileDir: null,
	});
});

test("figures are named in any case, and the error for an unknown one names it", () => {
	const options = parseOptions(["--only", "RPC Requests", "--json"], names);
	expect(options).toMatchObject({ kind: "run", only: ["rpc requests"], json: true });
	const wrong = parseOptions(["--only", "speed"], names);
	expect(wrong).toEqual({ kind: "wrong", problem: 'There is no figure "speed".' });
});

test("the beginning of a name selects all figures that share it, a whole name only its own", () => {
	const all = ["live", "live p50", "live p95", "size"];
	expect(parseOptions(["--only", "live p"], all)).toMatchObject({ only: ["live p50", "live p95"] });
	expect(parseOptions(["--only", "live"], all)).toMatchObject({ only: ["live"] });
	const several = parseOptions(["--only", "size", "--only", "live p9"], all);
	expect(several).toMatchObject({ only: ["size", "live p95"] });
});

test("an unknown option, or an invalid count, is refused", () => {
	expect(parseOptions(["--fast"], names).kind).toBe("wrong");
	for (const runs of ["0", "1.5", "many", "51"]) {
		expect(parseOptions(["--runs", runs], names).kind).toBe("wrong");
	}
});

test("a full run is selected by name", () => {
	expect(parseOptions(["--full"], names)).toMatchObject({ kind: "run", only: null, isFull: true });
});
