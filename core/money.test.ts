import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault.ts";
import {
	type Currency,
	decimalString,
	formatAmount,
	mulDiv,
	parseAmount,
	splitByUnit,
	toDisplayNumber,
} from "#core/money.ts";

describe("decimalString", () => {
	test("a difference may be negative and keeps its sign", () => {
		expect(decimalString(-1n, 18)).toBe("-0.000000000000000001");
		expect(decimalString(-1_500n, 3)).toBe("-1.5");
		expect(decimalString(-1_000n, 0)).toBe("-1000");
	});

	test("zeros inside the number are kept, trailing zeros are dropped", () => {
		expect(decimalString(1_000_100n, 6)).toBe("1.0001");
		expect(decimalString(100n, 2)).toBe("1");
		expect(decimalString(0n, 18)).toBe("0");
	});

	test("decimals that are negative or fractional fail an assertion", () => {
		expect(() => decimalString(1n, -1)).toThrow("decimals");
		expect(() => decimalString(1n, 0.5)).toThrow("decimals");
	});
});

describe("formatAmount", () => {
	const eth = { symbol: "ETH", decimals: 18 };

	test("an amount is written in full: no exponent, no rounding, no trailing zeros", () => {
		expect(formatAmount({ units: 0n, currency: eth })).toBe("0");
		expect(formatAmount({ units: 1n, currency: eth })).toBe("0.000000000000000001");
		expect(formatAmount({ units: 10n ** 18n, currency: eth })).toBe("1");
		expect(formatAmount({ units: 1_500_000_000_000_000_000n, currency: eth })).toBe("1.5");
		expect(formatAmount({ units: 10n ** 40n, currency: eth })).toBe("10000000000000000000000");
		expect(formatAmount({ units: 1_000n, currency: { symbol: "ITEM", decimals: 0 } })).toBe("1000");
	});
});

describe("mulDiv", () => {
	const numRuns = Bun.env.PROVE ? 100_000 : 2_000;
	const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
	const divisors = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });

	test("the result is rounded in the direction that the caller names", () => {
		expect(mulDiv(10n, 1n, 3n, "down")).toBe(3n);
		expect(mulDiv(10n, 1n, 3n, "up")).toBe(4n);
		expect(mulDiv(9n, 1n, 3n, "down")).toBe(3n);
		expect(mulDiv(9n, 1n, 3n, "up")).toBe(3n);
		expect(mulDiv(0n, 5n, 3n, "up")).toBe(0n);
	});

	test("down never exceeds the true quotient, up is never below it, and both differ by less than one", () => {
		fc.assert(
			fc.property(units, units, divisors, (a, b, divisor) => {
				const down = mulDiv(a, b, divisor, "down");
				const up = mulDiv(a, b, divisor, "up");
				expect(down * divisor <= a * b).toBe(true);
				expect(up * divisor >= a * b).toBe(true);
				expect(up - down).toBe((a * b) % divisor === 0n ? 0n : 1n);
			}),
			{ numRuns },
		);
	});

	test("negative money and division by zero fail an assertion", () => {
		expect(() => mulDiv(-1n, 1n, 1n, "down")).toThrow("negative");
		expect(() => mulDiv(1n, -1n, 1n, "down")).toThrow("negative");
		expect(() => mulDiv(1n, 1n, 0n, "down")).toThrow("divides");
		expect(() => mulDiv(1n, 1n, -1n, "down")).toThrow("divides");
	});
});

describe("parseAmount", () => {
	const eth: Currency = { symbol: "ETH", decimals: 18 };
	const usdc: Currency = { symbol: "USDC", decimals: 6 };
	const whole: Currency = { symbol: "ITEM", decimals: 0 };
	const MAX = 2n ** 256n - 1n;
	const numRuns = Bun.env.PROVE ? 100_000 : 2_000;

	const traps: [why: string, text: string, currency: Currency][] = [
		["empty", "", eth],
		["blank", " ", eth],
		["leading blank", " 1", eth],
		["trailing blank", "1 ", eth],
		["trailing newline", "1\n", eth],
		["leading newline", "\n1", eth],
		["minus", "-1", eth],
		["minus nought", "-0", eth],
		["plus", "+1", eth],
		["no whole part", ".5", eth],
		["no fraction", "5.", eth],
		["only a point", ".", eth],
		["two points", "1.2.3", eth],
		["leading zeros", "007", eth],
		["two zeros", "00", eth],
		["exponent", "1e18", eth],
		["capital exponent", "1E18", eth],
		["negative exponent", "1e-3", eth],
		["hex", "0x10", eth],
		["octal", "0o7", eth],
		["binary", "0b1", eth],
		["not a number", "NaN", eth],
		["infinite", "Infinity", eth],
		["decimal comma", "1,5", eth],
		["thousands comma", "1,000", eth],
		["thousands underscore", "1_000", eth],
		["thousands blank", "1 000", eth],
		["bigint literal", "1n", eth],
		["full-width digit", "１", eth],
		["Arabic digit", "١", eth],
		["Devanagari digit", "१", eth],
		["superscript", "1²", eth],
		["minus sign U+2212", "−1", eth],
		["zero-width space", "1\u200b", eth],
		["no-break space", "\u00a01", eth],
		["byte order mark", "\ufeff1", eth],
		["NUL", "1\0", eth],
		["with symbol", "1 ETH", eth],
		["with currency sign", "$1", usdc],
		["fraction", "1/2", eth],
		["percent", "5%", eth],
		["brackets", "(1)", eth],
		["one digit more than ETH has", "0.0000000000000000001", eth],
		["one zero more than ETH has", "0.1000000000000000000", eth],
		["viem rounds this up to 1", "0.9999999", usdc],
		["viem rounds this up to 2", "1.5", whole],
		["a point where there are no decimals", "1.0", whole],
		["2^256 units", (MAX + 1n).toString(), whole],
		["78 nines", "9".repeat(78), whole],
		["79 digits", `1${"0".repeat(78)}`, whole],
		["2^256 wei, written as ETH", formatAmount({ units: MAX + 1n, currency: eth }), eth],
		["a megabyte of digits", "1".repeat(1_000_000), eth],
		["a megabyte of fraction", `0.${"1".repeat(1_000_000)}`, eth],
	];

	describe("parseAmount", () => {
		for (const [why, text, currency] of traps) {
			test(`refuses: ${why}`, () => {
				expect(() => parseAmount(text, currency)).toThrow(Fault);
			});
		}

		test("an amount that is not a text is refused, whatever its type says", () => {
			for (const value of [1, 1.5, 1n, null, undefined, ["1"], { toString: () => "1" }]) {
				expect(() => parseAmount(value as unknown as string, eth)).toThrow(Fault);
			}
		});

		test("a bad amount answers 422 with a stable code, and names the currency", () => {
			try {
				parseAmount("1.0000001", usdc);
				expect.unreachable();
			} catch (error) {
				expect(error).toMatchObject({ code: "amount_invalid", status: 422 });
				expect((error as Fault).publicDetail).toContain("USDC");
				expect((error as Fault).publicDetail).toContain("6 decimals");
			}
		});

		test("an amount is parsed exactly", () => {
			expect(parseAmount("0", eth).units).toBe(0n);
			expect(parseAmount("0.0", eth).units).toBe(0n);
			expect(parseAmount("1", eth).units).toBe(10n ** 18n);
			expect(parseAmount("0.05", eth).units).toBe(50_000_000_000_000_000n);
			expect(parseAmount("0.000000000000000001", eth).units).toBe(1n);
			expect(parseAmount("9007199254740993", whole).units).toBe(9_007_199_254_740_993n);
			expect(parseAmount("1.10", usdc).units).toBe(1_100_000n);
			expect(parseAmount(MAX.toString(), whole).units).toBe(MAX);
		});

		test("an amount has the currency with which it was parsed", () => {
			expect(parseAmount("1", usdc).currency).toBe(usdc);
		});

		test("a currency with impossible decimals fails an assertion, and is no fault of the caller", () => {
			for (const decimals of [-1, 1.5, 78, Number.NaN]) {
				expect(() => parseAmount("1", { symbol: "X", decimals })).toThrow("decimals");
			}
		});

		test("every amount up to uint256 is the same after formatting and parsing", () => {
			const amounts = fc.record({
				units: fc.oneof(
					fc.bigInt({ min: 0n, max: MAX }),
					fc.constantFrom(0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 128n, MAX),
				),
				decimals: fc.integer({ min: 0, max: 77 }),
			});
			fc.assert(
				fc.property(amounts, ({ units, decimals }) => {
					const currency = { symbol: "X", decimals };
					expect(parseAmount(formatAmount({ units, currency }), currency).units).toBe(units);
				}),
				{ numRuns },
			);
		});

		test("any text gives a Fault, or an amount inside uint256", () => {
			const texts = fc.oneof(
				fc.string({ unit: fc.constantFrom(..."0123456789.eExX+-_ ,") }),
				fc.string({ unit: "binary" }),
				fc.double().map(String),
			);
			fc.assert(
				fc.property(texts, (text) => {
					try {
						const { units } = parseAmount(text, eth);
						expect(units >= 0n && units <= MAX).toBe(true);
						expect(text).toMatch(/^[0-9]+(\.[0-9]{1,18})?$/);
					} catch (error) {
						expect(error).toBeInstanceOf(Fault);
					}
				}),
				{ numRuns },
			);
		});
	});
});

describe("splitByUnit", () => {
	test("[ING-12, ING-13] the rows of a bundle sum to its price, and only the first carries a remainder", () => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: 0n, max: 2n ** 256n }),
				fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), { minLength: 1, maxLength: 30 }),
				(total, quantities) => {
					const rows = splitByUnit(total, quantities);
					const units = quantities.reduce((sum, quantity) => sum + quantity, 0n);
					expect(rows.reduce((sum, row) => sum + row, 0n)).toBe(total);
					for (const [index, quantity] of quantities.entries()) {
						if (index > 0) expect(rows[index]).toBe((total / units) * quantity);
					}
				},
			),
		);
	});

	test("[ING-12, ING-13] a price of ten for three items is split into four, three, three", () => {
		expect(splitByUnit(10n, [1n, 1n, 1n])).toEqual([4n, 3n, 3n]);
		expect(splitByUnit(11n, [2n, 3n])).toEqual([5n, 6n]);
		expect(splitByUnit(5n, [])).toEqual([]);
		expect(splitByUnit(5n, [0n])).toEqual([0n]);
	});
});

describe("toDisplayNumber", () => {
	const numRuns = Bun.env.PROVE ? 100_000 : 2_000;

	test("the JSON number of a price is the one that a person would type", () => {
		expect(toDisplayNumber(50_000_000_000_000_000n, 18)).toBe(0.05);
		expect(toDisplayNumber(1n, 18)).toBe(1e-18);
		expect(toDisplayNumber(123_456_789n, 6)).toBe(123.456789);
		expect(toDisplayNumber(0n, 18)).toBe(0);
		expect(toDisplayNumber(-1_500_000n, 6)).toBe(-1.5);
		// Rounding twice, as Number(units) / 1e18 does, answers 0.011111111011111112 here.
		expect(toDisplayNumber(11_111_111_011_111_113n, 18)).toBe(0.011111111011111114);
	});

	test("the largest uint256 is still a finite number", () => {
		expect(Number.isFinite(toDisplayNumber(2n ** 256n - 1n, 0))).toBe(true);
	});

	test("no JSON number is nearer to the exact amount than the returned one", () => {
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
});
