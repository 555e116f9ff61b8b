import { expect, test } from "bun:test";
import { CurrencyAmount, Token } from "@uniswap/sdk-core";
import { SqrtPriceMath, TickMath } from "@uniswap/v3-sdk";
import fc from "fast-check";
import {
	depthOf,
	gapBps,
	lessBps,
	outAtPrice,
	outInRange,
	priceGapBps,
	sqrtRatioAtTick,
} from "#plugins/tokenomics/buyback/poolMath.ts";

/** The library's own numbers, and back. */
const unit = new Token(1, `0x${"1".repeat(40)}`, 18);
const big = (of: bigint) => CurrencyAmount.fromRawAmount(unit, String(of)).quotient;
const back = (of: ReturnType<typeof big>) => BigInt(String(of));

test("the price at a tick equals Uniswap's, to the last unit", () => {
	fc.assert(
		fc.property(fc.integer({ min: -887_272, max: 887_272 }), (tick) => {
			expect(sqrtRatioAtTick(tick)).toBe(back(TickMath.getSqrtRatioAtTick(tick)));
		}),
		{ numRuns: 300 },
	);
	for (const tick of [-887_272, -1, 0, 1, 887_272]) {
		expect(sqrtRatioAtTick(tick)).toBe(back(TickMath.getSqrtRatioAtTick(tick)));
	}
});

const given = fc.record({
	tick: fc.integer({ min: -200_000, max: 200_000 }),
	liquidity: fc.bigInt({ min: 10n ** 12n, max: 10n ** 26n }),
	inRaw: fc.bigInt({ min: 1_000n, max: 10n ** 20n }),
	isZeroForOne: fc.boolean(),
	fee: fc.constantFrom(100, 500, 3_000, 10_000),
});

test("the amount that is bought within a range equals that of Uniswap's library", () => {
	fc.assert(
		fc.property(given, ({ tick, liquidity, inRaw, isZeroForOne, fee }) => {
			const sqrtPriceX96 = sqrtRatioAtTick(tick);
			const out = outInRange(inRaw, { sqrtPriceX96, isZeroForOne, liquidity, fee });
			const paid = (inRaw * (1_000_000n - BigInt(fee))) / 1_000_000n;
			const [at, depth] = [big(sqrtPriceX96), big(liquidity)];
			const next = SqrtPriceMath.getNextSqrtPriceFromInput(at, depth, big(paid), isZeroForOne);
			const theirs = isZeroForOne
				? SqrtPriceMath.getAmount1Delta(next, at, depth, false)
				: SqrtPriceMath.getAmount0Delta(at, next, depth, false);
			expect(out).toBe(back(theirs));
			// It never buys more than at the price before it moved.
			expect(out <= outAtPrice(inRaw, { sqrtPriceX96, isZeroForOne }, fee) + 1n).toBe(true);
		}),
		{ numRuns: 300 },
	);
});

test("a trade of 1% of a pool's depth moves its price by about 2%, in both directions", () => {
	for (const isZeroForOne of [true, false]) {
		const pool = { sqrtPriceX96: sqrtRatioAtTick(23_000), isZeroForOne, fee: 500 };
		const liquidity = 10n ** 24n;
		const inRaw = depthOf({ ...pool, liquidity }) / 100n;
		const out = outInRange(inRaw, { ...pool, liquidity });
		const fair = outAtPrice(inRaw, pool, 500);
		expect(gapBps(out, fair)).toBe(99n);
	}
});

test("price differences are rounded up, and minimum amounts are never one unit too low", () => {
	expect(gapBps(9_999n, 10_000n)).toBe(1n);
	expect(gapBps(999_999n, 1_000_000n)).toBe(1n);
	expect(gapBps(7n, 7n)).toBe(0n);
	expect(lessBps(999n, 1n)).toBe(999n);
	expect(lessBps(10_000n, 200n)).toBe(9_800n);
	expect(priceGapBps(sqrtRatioAtTick(100), sqrtRatioAtTick(0))).toBe(101n);
});
