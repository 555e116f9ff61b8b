import { expect, test } from "bun:test";
import fc from "fast-check";
import { decideFloor } from "#plugins/market-index/floor/decideFloor.ts";
import { floorChangePercent } from "#plugins/market-index/floor/floorChangePercent.ts";

const stats = { value: 0.5, symbol: "ETH" };
const best = { unitNative: "700", price: 0.7, symbol: "WETH" };
const NOTHING = { stats: null, statsNative: null, best: null, isEmptyBook: false };

test("the provider's figure goes first, then the best ask", () => {
	expect(decideFloor({ ...NOTHING, stats, statsNative: 500n, best })).toEqual({
		kind: "ask",
		native: 500n,
		price: 0.5,
		symbol: "ETH",
	});
	expect(decideFloor({ ...NOTHING, best })).toMatchObject({ native: 700n, symbol: "WETH" });
	expect(decideFloor({ ...NOTHING, stats, best })).toMatchObject({ native: 700n });
});

test("[MRG-02] only a whole book without an ask says that nobody sells; else nothing was learned", () => {
	expect(decideFloor({ ...NOTHING, isEmptyBook: true })).toEqual({ kind: "none" });
	expect(decideFloor(NOTHING)).toEqual({ kind: "unknown" });
	expect(decideFloor({ ...NOTHING, stats, isEmptyBook: true })).toEqual({ kind: "unknown" });
});

test("[MRG-02] whatever the sources say, zero is never a floor", () => {
	const figure = fc.option(fc.record({ value: fc.constantFrom(0, 1), symbol: fc.string() }));
	const native = fc.option(fc.bigInt({ min: 0n, max: 2n }));
	const ask = fc.option(
		fc.record({ unitNative: fc.constantFrom("0", "1"), price: fc.float(), symbol: fc.string() }),
	);
	fc.assert(
		fc.property(figure, native, ask, fc.boolean(), (stats, statsNative, best, isEmptyBook) => {
			const floor = decideFloor({ stats, statsNative, best, isEmptyBook });
			if (floor.kind === "ask") expect(floor.native).toBeGreaterThan(0n);
		}),
	);
});

test("a change of the floor is in percent of what it was, and unknown with either", () => {
	expect(floorChangePercent("150", "100")).toBe(50);
	expect(floorChangePercent("50", "100")).toBe(-50);
	for (const [now, before] of [
		[null, "1"],
		["1", null],
		["1", "0"],
		["0", "1"],
	] as const) {
		expect(floorChangePercent(now, before)).toBeNull();
	}
});
