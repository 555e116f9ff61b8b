import { expect, test } from "bun:test";
import { pairedRatio } from "#test/bench/report/pairedRatio.ts";

test("a machine that halves its speed between two pairs does not change their ratio", () => {
	const quick = { ours: 80, theirs: 100 };
	const slow = { ours: 40, theirs: 50 };
	const odd = { ours: 10, theirs: 50 };
	expect(pairedRatio([quick, slow, odd])).toEqual({ value: 0.8, ratios: [0.8, 0.8, 0.2] });
});
