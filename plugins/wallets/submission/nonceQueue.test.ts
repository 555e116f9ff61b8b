import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	chooseNonce,
	createNonceClaims,
	type Fees,
	type HeldNonce,
	offeredBy,
	replacementFees,
} from "#plugins/wallets/submission/nonceQueue.ts";

describe("chooseNonce", () => {
	type Queue = Parameters<typeof chooseNonce>[0];

	const held = (nonces: readonly number[], state: HeldNonce["state"] = "sent"): HeldNonce[] =>
		nonces.map((nonce) => ({ nonce, state, purpose: "pay" }));
	/** A wallet for which nonces up to 9 were used, by us. */
	const queueOf = (own: readonly HeldNonce[] = [], finalCount = 10): Queue => ({
		held: own,
		finalCount,
		ownCount: Math.max(10, ...own.map(({ nonce }) => nonce + 1)),
	});
	const choose = (queue: Queue, mined: number, pending = mined, explained = 0) =>
		chooseNonce(queue, { mined, pending }, { explained });

	test("a wallet without our payments starts from the node's count", () => {
		const fresh: Queue = { held: [], finalCount: 0, ownCount: null };
		expect(choose(fresh, 57, 59)).toEqual({ kind: "nonce", nonce: 59 });
		expect(choose(fresh, 0)).toEqual({ kind: "nonce", nonce: 0 });
	});

	test("the next nonce is the lowest that none of our payments has", () => {
		expect(choose(queueOf(), 10)).toEqual({ kind: "nonce", nonce: 10 });
		expect(choose(queueOf(held([10, 11])), 10)).toEqual({ kind: "nonce", nonce: 12 });
		// A gap below what was sent is filled first.
		expect(choose(queueOf(held([10, 17, 18])), 10, 11)).toEqual({ kind: "nonce", nonce: 11 });
	});

	test("a nonce count that our records do not explain is not believed by itself", () => {
		expect(choose(queueOf(), 10, 17)).toEqual({ kind: "unproven" });
		expect(choose(queueOf(), 17, 17)).toEqual({ kind: "unproven" });
		expect(choose(queueOf(held([10])), 10, 12)).toEqual({ kind: "unproven" });
	});

	test("a nonce count is used up to the last checked transaction, and pending transactions never count", () => {
		expect(choose(queueOf(), 17, 17, 17)).toEqual({ kind: "nonce", nonce: 17 });
		expect(choose(queueOf(), 18, 18, 17)).toEqual({ kind: "unproven" });
		expect(choose(queueOf(), 10, 17, 10)).toEqual({ kind: "unproven" });
		// What was read of an older past explains nothing above it.
		expect(choose(queueOf(), 17, 17, 10)).toEqual({ kind: "unproven" });
	});

	test("a node with a count below the final one is behind, and is not used", () => {
		for (const mined of [0, 3, 9]) {
			expect(choose(queueOf(), mined)).toEqual({ kind: "nonce", nonce: 10 });
		}
	});

	test("no payment is sent after an uncertain one, except one with a lower nonce", () => {
		for (const state of ["doubtful", "dropped"] as const) {
			const doubt = held([12], state);
			expect(choose(queueOf([...held([10, 11]), ...doubt]), 10)).toEqual({
				...{ kind: "in_doubt", nonce: 12 },
			});
			expect(choose(queueOf([...held([10]), ...doubt]), 10)).toEqual({ kind: "nonce", nonce: 11 });
			// Its nonce is used on chain, by whatever: nothing waits for it any more.
			expect(choose(queueOf(doubt), 13)).toEqual({ kind: "nonce", nonce: 13 });
		}
	});

	test("a nonce that our payment has, or that the node counts as mined, is never chosen", () => {
		const state = fc.constantFrom<HeldNonce["state"]>("sent", "mined", "doubtful", "dropped");
		const one = fc.record({ nonce: fc.nat(40), state, purpose: fc.constant("pay" as const) });
		fc.assert(
			fc.property(
				fc.array(one, { maxLength: 20 }),
				fc.nat(50),
				fc.nat(50),
				fc.nat(50),
				(own, mined, pending, explained) => {
					const sorted = own.filter(({ nonce }) => nonce >= mined);
					sorted.sort((a, b) => a.nonce - b.nonce);
					const ownCount = own.length === 0 ? null : Math.max(...own.map((at) => at.nonce)) + 1;
					const queue = { held: sorted, finalCount: 0, ownCount };
					const choice = chooseNonce(queue, { mined, pending }, { explained });
					if (choice.kind !== "nonce") return;
					expect(sorted.some(({ nonce }) => nonce === choice.nonce)).toBe(false);
					expect(choice.nonce).toBeGreaterThanOrEqual(mined);
					if (ownCount === null) return;
					// The node alone never moves us past what we know.
					expect(choice.nonce).toBeLessThanOrEqual(Math.max(ownCount, explained));
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

describe("createNonceClaims", () => {
	const of = { chainId: 1, from: `0x${"a".repeat(40)}` } as const;

	test("an account is claimed until our records and the node agree again", () => {
		const claims = createNonceClaims();
		expect(claims.isClaimed(of)).toBe(false);
		claims.note(of);
		expect(claims.isClaimed(of)).toBe(true);
		expect(claims.isClaimed({ ...of, chainId: 2 })).toBe(false);
		claims.forget(of);
		expect(claims.isClaimed(of)).toBe(false);
	});
});

test("a plan's priority fee is at least the minimum, and the maximum fee grows by the same amount", () => {
	const now = { maxFeePerGas: 50n, maxPriorityFeePerGas: 2n };
	expect(offeredBy(now, {})).toEqual(now);
	expect(offeredBy(now, { tipRaw: 2n })).toEqual(now);
	expect(offeredBy(now, { tipRaw: 9n })).toEqual({ maxFeePerGas: 57n, maxPriorityFeePerGas: 9n });
});

describe("replacementFees", () => {
	const fee = fc.bigInt({ min: 0n, max: 10n ** 18n });
	const fees = fc.record({ maxFeePerGas: fee, maxPriorityFeePerGas: fee });

	test("a replacement offers a tenth more than all that it replaces, and at least today's price", () => {
		fc.assert(
			fc.property(fees, fc.array(fees, { maxLength: 4 }), (now: Fees, others: Fees[]) => {
				const { maxFeePerGas, maxPriorityFeePerGas } = replacementFees(now, others);
				for (const other of others) {
					expect(maxFeePerGas * 10n).toBeGreaterThanOrEqual(other.maxFeePerGas * 11n);
					expect(maxPriorityFeePerGas * 10n).toBeGreaterThanOrEqual(
						other.maxPriorityFeePerGas * 11n,
					);
					expect(maxFeePerGas).toBeGreaterThan(other.maxFeePerGas);
				}
				expect(maxFeePerGas).toBeGreaterThanOrEqual(now.maxFeePerGas);
				expect(maxPriorityFeePerGas).toBeGreaterThanOrEqual(now.maxPriorityFeePerGas);
				expect(maxFeePerGas).toBeGreaterThanOrEqual(maxPriorityFeePerGas);
			}),
		);
	});
});
