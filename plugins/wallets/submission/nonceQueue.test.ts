import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	chooseNonce,
	createNonceClaims,
	type Fees,
	type HeldNonce,
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
	const choose = (queue: Queue, mined: number, pending = mined, confirmed: number | null = null) =>
		chooseNonce(queue, { mined, pending }, { confirmed });

	test("a wallet that is new to us starts from the node's count", () => {
		const fresh: Queue = { held: [], finalCount: 0, ownCount: null };
		expect(choose(fresh, 57, 59)).toEqual({ kind: "nonce", nonce: 59 });
		expect(choose(fresh, 0)).toEqual({ kind: "nonce", nonce: 0 });
	});

	test("the next nonce is the lowest that nothing of ours holds", () => {
		expect(choose(queueOf(), 10)).toEqual({ kind: "nonce", nonce: 10 });
		expect(choose(queueOf(held([10, 11])), 10)).toEqual({ kind: "nonce", nonce: 12 });
		// A gap below what was sent is filled first.
		expect(choose(queueOf(held([10, 17, 18])), 10, 11)).toEqual({ kind: "nonce", nonce: 11 });
	});

	test("a count that our records do not explain is not believed by itself", () => {
		expect(choose(queueOf(), 10, 17)).toEqual({ kind: "unproven" });
		expect(choose(queueOf(), 17, 17)).toEqual({ kind: "unproven" });
		expect(choose(queueOf(held([10])), 10, 12)).toEqual({ kind: "unproven" });
	});

	test("a later block's answer confirms what is mined, and never what only waits in a pool", () => {
		expect(choose(queueOf(), 17, 17, 17)).toEqual({ kind: "nonce", nonce: 17 });
		expect(choose(queueOf(), 18, 18, 17)).toEqual({ kind: "nonce", nonce: 18 });
		expect(choose(queueOf(), 10, 17, 10)).toEqual({ kind: "unproven" });
		// A first answer that our records explained confirms no second one.
		expect(choose(queueOf(), 17, 17, 10)).toEqual({ kind: "unproven" });
		// Nobody sends a million in between.
		expect(choose(queueOf(), 1_000_000, 1_000_000, 17)).toEqual({ kind: "unproven" });
	});

	test("a node that counts less than is final is behind, and is not followed", () => {
		for (const mined of [0, 3, 9]) {
			expect(choose(queueOf(), mined)).toEqual({ kind: "nonce", nonce: 10 });
		}
	});

	test("nothing follows what may or may not have left, and what stands below it goes", () => {
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

	test("no nonce is chosen that one of ours holds, nor one that the node counts as mined", () => {
		const state = fc.constantFrom<HeldNonce["state"]>("sent", "mined", "doubtful", "dropped");
		const one = fc.record({ nonce: fc.nat(40), state, purpose: fc.constant("pay" as const) });
		fc.assert(
			fc.property(
				fc.array(one, { maxLength: 20 }),
				fc.nat(50),
				fc.nat(50),
				fc.option(fc.nat(50)),
				(own, mined, pending, confirmed) => {
					const sorted = own.filter(({ nonce }) => nonce >= mined);
					sorted.sort((a, b) => a.nonce - b.nonce);
					const ownCount = own.length === 0 ? null : Math.max(...own.map((at) => at.nonce)) + 1;
					const queue = { held: sorted, finalCount: 0, ownCount };
					const choice = chooseNonce(queue, { mined, pending }, { confirmed });
					if (choice.kind !== "nonce") return;
					expect(sorted.some(({ nonce }) => nonce === choice.nonce)).toBe(false);
					expect(choice.nonce).toBeGreaterThanOrEqual(mined);
					if (ownCount === null) return;
					// The node alone never moves us past what we know.
					if (confirmed === null) expect(choice.nonce).toBeLessThanOrEqual(ownCount);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

describe("createNonceClaims", () => {
	const of = { chainId: 1, from: `0x${"a".repeat(40)}` } as const;

	test("what a node named is told to a later block, not to its own", () => {
		const claims = createNonceClaims();
		expect(claims.confirmed(of, 9)).toBeNull();
		claims.note(of, { mined: 7, headBlock: 9 });
		expect(claims.confirmed(of, 9)).toBeNull();
		expect(claims.confirmed(of, 10)).toBe(7);
		expect(claims.confirmed({ ...of, chainId: 2 }, 10)).toBeNull();
	});

	test("the first of those that agree stays, and one that says less begins anew", () => {
		const claims = createNonceClaims();
		claims.note(of, { mined: 7, headBlock: 9 });
		claims.note(of, { mined: 8, headBlock: 10 });
		expect(claims.confirmed(of, 10)).toBe(7);
		claims.note(of, { mined: 5, headBlock: 11 });
		expect(claims.confirmed(of, 11)).toBeNull();
		expect(claims.confirmed(of, 12)).toBe(5);
		expect(claims.isClaimed(of)).toBe(true);
		expect(claims.isOpen(of)).toBe(true);
		claims.forget(of);
		expect(claims.isOpen(of)).toBe(false);
		expect(claims.confirmed(of, 12)).toBeNull();
		expect(claims.isClaimed(of)).toBe(false);
	});
});

describe("replacementFees", () => {
	const fee = fc.bigInt({ min: 0n, max: 10n ** 18n });
	const fees = fc.record({ maxFeePerGas: fee, maxPriorityFeePerGas: fee });

	test("a replacement offers a tenth more than all it replaces, and today's price at least", () => {
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
