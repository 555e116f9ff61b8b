import { expect, test } from "bun:test";
import fc from "fast-check";
import { mulBps } from "#core/money/mulBps.ts";

test("a fee that does not come out even is rounded as named", () => {
	expect(mulBps(10_000n, 250n, "down")).toBe(250n);
	expect(mulBps(10_001n, 250n, "down")).toBe(250n);
	expect(mulBps(10_001n, 250n, "up")).toBe(251n);
	expect(mulBps(1n, 1n, "up")).toBe(1n);
	expect(mulBps(1n, 1n, "down")).toBe(0n);
});

test("a fee rounded up and the rest rounded down together are exactly the price", () => {
	const prices = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
	const bps = fc.bigInt({ min: 0n, max: 10_000n });
	fc.assert(
		fc.property(prices, bps, (price, share) => {
			expect(mulBps(price, share, "up") + mulBps(price, 10_000n - share, "down")).toBe(price);
		}),
	);
});
