import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { chainNumbers } from "#core/chain/chainNumbers.ts";

// Guarantee: a node's number is accepted only in the range that its meaning allows.

const hex = (value: bigint) => `0x${value.toString(16)}`;
/** Values that a node may send but that are no number of a chain. */
const NONSENSE = [
	...["0x", "1", "0xg", "0x-1", "-0x1", "0x1.5", "0x1 ", "", "lots", "1e3"],
	...[null, undefined, 1, 1.5, 1n, true, [], {}, `0x${"1".repeat(65)}`],
];
/** The greatest valid value of each kind; the next one is refused. */
const WHOLE = {
	blockNumber: 2n ** 33n - 1n,
	nonce: 2n ** 48n - 1n,
	seconds: 8_640_000_000_000n,
	place: 2n ** 30n - 1n,
	chainId: 2n ** 53n - 1n,
};
const UNITS = { gas: 2n ** 48n - 1n, gasPrice: 10n ** 18n, wei: 2n ** 256n - 1n };

test("nonsense is no number of any kind", () => {
	for (const schema of Object.values(chainNumbers)) {
		for (const bad of NONSENSE) expect(schema.safeParse(bad).success).toBe(false);
	}
});

describe("each kind of number is read up to its greatest, and not one further", () => {
	for (const [name, max] of Object.entries(WHOLE)) {
		test(name, () => {
			const schema = chainNumbers[name as keyof typeof WHOLE];
			fc.assert(
				fc.property(fc.bigInt({ min: 0n, max }), (value) => {
					const read = schema.parse(hex(value));
					expect(Number.isSafeInteger(read)).toBe(true);
					expect(BigInt(read)).toBe(value);
				}),
			);
			expect(schema.parse(hex(max))).toBe(Number(max));
			for (const beyond of [max + 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n, 2n ** 256n - 1n]) {
				expect(schema.safeParse(hex(beyond)).success).toBe(false);
			}
		});
	}
	for (const [name, max] of Object.entries(UNITS)) {
		test(name, () => {
			const schema = chainNumbers[name as keyof typeof UNITS];
			fc.assert(
				fc.property(fc.bigInt({ min: 0n, max }), (value) => {
					expect(schema.parse(hex(value))).toBe(value);
				}),
			);
			expect(schema.safeParse(hex(max + 1n)).success).toBe(false);
		});
	}
});

test("every second that is read is a moment that a Date can hold", () => {
	const last = chainNumbers.seconds.parse(hex(8_640_000_000_000n));
	expect(new Date(last * 1_000).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
});

test("a transaction did what it was sent for or not; a third answer is none", () => {
	expect(chainNumbers.succeeded.parse("0x1")).toBe(true);
	expect(chainNumbers.succeeded.parse("0x0")).toBe(false);
	for (const bad of ["0x2", "0xff", hex(2n ** 256n - 1n)]) {
		expect(chainNumbers.succeeded.safeParse(bad).success).toBe(false);
	}
});
