import { expect, test } from "bun:test";
import fc from "fast-check";
import { type CancelTerms, cancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";

const hex = (bytes: number) => {
	return fc
		.uint8Array({ minLength: bytes, maxLength: bytes })
		.map((one) => `0x${Buffer.from(one).toString("hex")}` as const);
};
const price = fc.bigInt({ min: 0n, max: 10n ** 19n });
const terms: fc.Arbitrary<CancelTerms> = fc.record({
	intentId: fc.uuid(),
	chainId: fc.integer({ min: 1, max: 10 ** 9 }),
	from: hex(20),
	nonce: fc.integer({ min: 0, max: 2 ** 31 }),
	maxFeePerGas: price,
	maxPriorityFeePerGas: price,
	paymentHash: fc.option(hex(32)),
});

test("what is written is read back the same, through JSON", () => {
	fc.assert(
		fc.property(terms, (one) => {
			const read = cancelTerms.read(JSON.parse(JSON.stringify(cancelTerms.write(one))));
			expect(read).toEqual(one);
			expect(read && cancelTerms.hash(read)).toBe(cancelTerms.hash(one));
		}),
	);
});

test("the hash changes with each member", () => {
	fc.assert(
		fc.property(terms, terms, (one, other) => {
			for (const name of Object.keys(one) as (keyof CancelTerms)[]) {
				const isSame = cancelTerms.hash({ ...one, [name]: other[name] }) === cancelTerms.hash(one);
				expect({ name, isSame }).toEqual({ name, isSame: one[name] === other[name] });
			}
		}),
	);
});

test("what is stored and cannot be so is no terms", () => {
	const [one] = fc.sample(terms, { numRuns: 1, seed: 1 });
	const good = cancelTerms.write(one!);
	expect(cancelTerms.read(good)).not.toBeNull();
	for (const bad of [
		...[null, "x", {}, { ...good, nonce: -1 }, { ...good, nonce: "1" }, { ...good, more: 1 }],
		...[
			{ ...good, from: "0x1" },
			{ ...good, maxFeePerGas: 1 },
			{ ...good, maxFeePerGas: "-1" },
		],
		...[
			{ ...good, maxFeePerGas: "1e9" },
			{ ...good, paymentHash: "0x" },
		],
	]) {
		expect(cancelTerms.read(bad)).toBeNull();
	}
});
