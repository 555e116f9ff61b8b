import { expect, test } from "bun:test";
import fc from "fast-check";
import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";

const numRuns = Bun.env.PROVE ? 100_000 : 2_000;

test("the JSON number of a price is the one a person would type", () => {
	expect(toDisplayNumber(50_000_000_000_000_000n, 18)).toBe(0.05);
	expect(toDisplayNumber(1n, 18)).toBe(1e-18);
	expect(toDisplayNumber(123_456_789n, 6)).toBe(123.456789);
	expect(toDisplayNumber(0n, 18)).toBe(0);
	expect(toDisplayNumber(-1_500_000n, 6)).toBe(-1.5);
	// Rounding twice, as Number(units) / 1e18 does, answers 0.011111111011111112 here.
	expect(toDisplayNumber(11_111_111_011_111_113n, 18)).toBe(0.011111111011111114);
});

test("the greatest uint256 is still a finite number", () => {
	expect(Number.isFinite(toDisplayNumber(2n ** 256n - 1n, 0))).toBe(true);
});

test("no JSON number is nearer to the exact amount than the one shown", () => {
	const amounts = fc.record({
		units: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
		decimals: fc.integer({ min: 0, max: 30 }),
	});
	fc.assert(
		fc.property(amounts, ({ units, decimals }) => {
			const shown = toDisplayNumber(units, decimals);
			const error = distance(shown, units, decimals);
			expect(error <= distance(neighbour(shown, 1n), units, decimals)).toBe(true);
			expect(error <= distance(neighbour(shown, -1n), units, decimals)).toBe(true);
		}),
		{ numRuns },
	);
});

/** |value - units / 10^decimals|, exactly, scaled by 2^1074 × 10^decimals. */
function distance(value: number, units: bigint, decimals: number): bigint {
	const difference = scaled(value) * 10n ** BigInt(decimals) - (units << 1074n);
	return difference < 0n ? -difference : difference;
}

/** A positive double times 2^1074, which is a whole number for every double. */
function scaled(value: number): bigint {
	const bits = bitsOf(value);
	const exponent = bits >> 52n;
	const mantissa = bits & (2n ** 52n - 1n);
	return exponent === 0n ? mantissa : (mantissa | (2n ** 52n)) << (exponent - 1n);
}

function bitsOf(value: number): bigint {
	const view = new DataView(new ArrayBuffer(8));
	view.setFloat64(0, value);
	return view.getBigUint64(0);
}

function neighbour(value: number, step: bigint): number {
	const view = new DataView(new ArrayBuffer(8));
	view.setBigUint64(0, bitsOf(value) + step);
	return view.getFloat64(0);
}
