import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "#core/fault/Fault.ts";
import type { Currency } from "#core/money/Currency.ts";
import { formatAmount } from "#core/money/formatAmount.ts";
import { parseAmount } from "#core/money/parseAmount.ts";

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

	test("refuses what is not a text, whatever the compiler was told", () => {
		for (const value of [1, 1.5, 1n, null, undefined, ["1"], { toString: () => "1" }]) {
			expect(() => parseAmount(value as unknown as string, eth)).toThrow(Fault);
		}
	});

	test("answers 422 with a code a client can rely on, and names the currency", () => {
		try {
			parseAmount("1.0000001", usdc);
			expect.unreachable();
		} catch (error) {
			expect(error).toMatchObject({ code: "amount_invalid", status: 422 });
			expect((error as Fault).publicDetail).toContain("USDC");
			expect((error as Fault).publicDetail).toContain("6 decimals");
		}
	});

	test("reads exactly", () => {
		expect(parseAmount("0", eth).units).toBe(0n);
		expect(parseAmount("0.0", eth).units).toBe(0n);
		expect(parseAmount("1", eth).units).toBe(10n ** 18n);
		expect(parseAmount("0.05", eth).units).toBe(50_000_000_000_000_000n);
		expect(parseAmount("0.000000000000000001", eth).units).toBe(1n);
		expect(parseAmount("9007199254740993", whole).units).toBe(9_007_199_254_740_993n);
		expect(parseAmount("1.10", usdc).units).toBe(1_100_000n);
		expect(parseAmount(MAX.toString(), whole).units).toBe(MAX);
	});

	test("keeps the currency it was read in", () => {
		expect(parseAmount("1", usdc).currency).toBe(usdc);
	});

	test("a currency with impossible decimals is our own mistake, not the caller's", () => {
		for (const decimals of [-1, 1.5, 78, Number.NaN]) {
			expect(() => parseAmount("1", { symbol: "X", decimals })).toThrow("decimals");
		}
	});

	test("every amount that a chain can hold survives being written and read", () => {
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

	test("whatever text comes, the answer is a Fault or an amount inside uint256", () => {
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
