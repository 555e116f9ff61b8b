import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keccak256, serializeTransaction } from "viem";
import {
	type CancelTerms,
	cancelTerms,
	gapsBelow,
	offerOf,
} from "#plugins/wallets/cancel/planCancellation.ts";
import type { HeldNonce } from "#plugins/wallets/submission/nonceQueue.ts";

describe("cancelTerms", () => {
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

	test("the terms of a cancellation are the same after JSON", () => {
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
					const isSame =
						cancelTerms.hash({ ...one, [name]: other[name] }) === cancelTerms.hash(one);
					expect({ name, isSame }).toEqual({ name, isSame: one[name] === other[name] });
				}
			}),
		);
	});

	test("stored terms that are invalid for a cancellation are not read", () => {
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
});

describe("gapsBelow", () => {
	const one = (nonce: number, more: Partial<HeldNonce> = {}): HeldNonce => {
		return { nonce, state: "sent", purpose: "pay", ...more };
	};
	const gaps = (nonce: number, held: HeldNonce[], minedNonce = 5, max = 64) =>
		gapsBelow(nonce, { held, finalCount: 0 }, { minedNonce, max });

	test("gaps are the unused nonces between the account's count and a nonce", () => {
		expect(gaps(5, [])).toEqual([]);
		expect(gaps(8, [one(8)])).toEqual([5, 6, 7]);
		expect(gaps(8, [one(5), one(7), one(8)])).toEqual([6]);
		expect(gapsBelow(8, { held: [], finalCount: 7 }, { minedNonce: 0, max: 64 })).toEqual([7]);
	});

	test("a transaction that fills a gap of nonces occupies it, unless it may never have been sent", () => {
		for (const state of ["queued", "sending", "sent", "mined"] as const) {
			expect(gaps(6, [one(5, { purpose: "fill", state })])).toEqual([]);
		}
		for (const state of ["doubtful", "dropped"] as const) {
			expect(gaps(6, [one(5, { purpose: "fill", state })])).toEqual([5]);
			expect(gaps(6, [one(5, { purpose: "pay", state })])).toEqual([]);
		}
	});

	test("at most a limited number of gaps is filled at once, the lowest first", () => {
		expect(gaps(1_000_000_000, [], 5, 3)).toEqual([5, 6, 7]);
	});
});

describe("offerOf", () => {
	const TO = `0x${"b".repeat(40)}` as const;
	const WORD = `0x${"77".repeat(32)}` as const;
	const signed = serializeTransaction(
		{
			...{ type: "eip1559", chainId: 1, nonce: 5, gas: 21_000n, to: TO, value: 1n },
			...{ maxFeePerGas: 30n, maxPriorityFeePerGas: 2n },
		},
		{ r: WORD, s: WORD, yParity: 1 },
	);
	const hash = keccak256(signed);
	const shown = {
		...{ type: "0x2", chainId: "0x1", hash, nonce: "0x5", gas: "0x5208", to: TO, value: "0x1" },
		...{ input: "0x", r: WORD, s: WORD, yParity: "0x1" },
		...{ maxFeePerGas: "0x1e", maxPriorityFeePerGas: "0x2", gasPrice: "0x1e" },
	};
	const fees = { maxFeePerGas: 30n, maxPriorityFeePerGas: 2n };

	test("raw bytes with the right hash prove the fees and the nonce of a transaction", () => {
		expect(offerOf(shown, hash)).toEqual({ fees, provenNonce: 5 });
	});

	test("a changed field of a node's answer leaves the payment's nonce unproven", () => {
		for (const lie of [{ nonce: "0x6" }, { maxFeePerGas: "0x1d" }, { accessList: [{}] }]) {
			expect(offerOf({ ...shown, ...lie }, hash)?.provenNonce).toBeNull();
		}
	});

	test("a legacy gas price counts as maximum fee and as priority fee", () => {
		const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...old } = { ...shown, type: "0x0" };
		expect(offerOf(old, hash)).toEqual({
			...{ fees: { maxFeePerGas: 30n, maxPriorityFeePerGas: 30n }, provenNonce: null },
		});
	});

	test("a transaction of another hash, or without a valid price, gives no fees", () => {
		const other = `0x${"11".repeat(32)}` as const;
		expect(offerOf(shown, other)).toBeNull();
		const price = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined };
		for (const gasPrice of ["0x", "-0x1", 1, null, "1.5", `0x${(2n ** 64n).toString(16)}`]) {
			expect(offerOf({ ...shown, ...price, gasPrice }, hash)).toBeNull();
		}
		for (const nonsense of [null, undefined, "x", [], {}])
			expect(offerOf(nonsense, hash)).toBeNull();
	});
});
