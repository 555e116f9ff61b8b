import { expect, test } from "bun:test";
import { createLastSecond } from "#core/chain/rpc/budget/createLastSecond.ts";

test("what is older than a second counts no more, to a tenth of one", () => {
	const last = createLastSecond();
	last.add(3, 1_000_000);
	last.add(4, 1_000_500);
	expect(last.sum(1_000_900)).toBe(7);
	expect(last.sum(1_001_050)).toBe(4);
	expect(last.sum(1_001_600)).toBe(0);
	last.add(5, 2_000_000);
	expect(last.sum(2_000_000)).toBe(5);
});

test("a clock that was set back begins anew", () => {
	const last = createLastSecond();
	last.add(3, 1_000_000);
	expect(last.sum(900_000)).toBe(0);
});
