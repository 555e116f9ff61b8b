import { expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { dbFault } from "#core/db/faults.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import { createChainTroubles } from "#plugins/wallets/reconcile/createChainTroubles.ts";

test("a chain's trouble begins with its first failure, and ends once", () => {
	const troubles = createChainTroubles();
	expect(troubles.endedBy(1)).toBeNull();
	expect(troubles.isOf(rpcFault.transport(), { chainId: 1, atMs: 10 })).toBe(true);
	expect(troubles.isOf(chainFault.chainBehind(), { chainId: 1, atMs: 20 })).toBe(true);
	expect([troubles.endedBy(2), troubles.endedBy(1), troubles.endedBy(1)]).toEqual([null, 10, null]);
});

test("what failed for another reason says nothing of the chain", () => {
	const troubles = createChainTroubles();
	for (const error of [dbFault.databaseUnreachable(), new Error("a kind broke")]) {
		expect(troubles.isOf(error, { chainId: 1, atMs: 10 })).toBe(false);
	}
	expect(troubles.endedBy(1)).toBeNull();
});
