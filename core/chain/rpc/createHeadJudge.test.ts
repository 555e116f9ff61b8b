import { expect, test } from "bun:test";
import fc from "fast-check";
import { createHeadJudge } from "#core/chain/rpc/createHeadJudge.ts";

// Guarantee: one false head makes no honest endpoint look false, and true ones are accepted.

const START = 5_000_000;

test("the heads of honest endpoints are believed, however often a liar speaks among them", () => {
	const step = fc.record({
		who: fc.constantFrom("one", "two", "liar"),
		afterMs: fc.integer({ min: 0, max: 20_000 }),
		lie: fc.bigInt({ min: 2n ** 30n, max: 2n ** 256n }),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const judge = createHeadJudge();
			let nowMs = 0;
			// Both were heard, so that a lie can be compared.
			for (const endpoint of ["one", "two"]) judge.believes(endpoint, { block: START, nowMs });
			for (const { who, afterMs, lie } of steps) {
				nowMs += afterMs;
				const head = START + Math.floor(nowMs / 250);
				if (who !== "liar") {
					expect(judge.believes(who, { block: head, nowMs })).toBe(true);
					continue;
				}
				for (const other of ["one", "two"]) judge.believes(other, { block: head, nowMs });
				expect(judge.believes("liar", { block: Number(lie), nowMs })).toBe(false);
			}
		}),
	);
});

test("an endpoint that is alone is believed by its second answer, and at once when it comes back", () => {
	const judge = createHeadJudge();
	const says = (block: number) => judge.believes("only", { block, nowMs: 0 });
	expect([says(100), says(10 ** 9), says(101)]).toEqual([true, false, true]);
	expect([says(10 ** 9), says(10 ** 9 + 1), says(102)]).toEqual([false, true, true]);
});

test("two endpoints that jump together are both believed", () => {
	const judge = createHeadJudge();
	const says = (endpoint: string, block: number) => judge.believes(endpoint, { block, nowMs: 0 });
	expect([says("one", 100), says("two", 100)]).toEqual([true, true]);
	expect([says("one", 100_000), says("two", 100_001), says("one", 100_002)]).toEqual([
		...[false, true, true],
	]);
});

test("an endpoint whose head stands still does not hold others back", () => {
	const judge = createHeadJudge();
	expect(judge.believes("stuck", { block: 100, nowMs: 0 })).toBe(true);
	const late = (block: number, nowMs: number) => judge.believes("live", { block, nowMs });
	expect(late(5_000_000, 30_000)).toBe(false);
	expect(judge.believes("stuck", { block: 100, nowMs: 60_000 })).toBe(true);
	expect(late(5_000_100, 61_000)).toBe(true);
});

test("a number that no chain has reached is no head, even if it is the first one", () => {
	const judge = createHeadJudge();
	expect(judge.believes("one", { block: 2 ** 48, nowMs: 0 })).toBe(false);
	expect(judge.believes("one", { block: 2 ** 48, nowMs: 0 })).toBe(false);
});
