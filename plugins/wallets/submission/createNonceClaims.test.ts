import { expect, test } from "bun:test";
import { createNonceClaims } from "#plugins/wallets/submission/createNonceClaims.ts";

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
