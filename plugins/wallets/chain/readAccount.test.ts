import { expect, test } from "bun:test";
import { chainFault } from "#core/chain/reads/readBlocks.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { dbFault } from "#core/db/Database.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";

test("a chain's outage begins with its first failure, and ends once", () => {
	const troubles = createChainTroubles();
	expect(troubles.endedBy(1, ["a"])).toBeNull();
	expect(troubles.note(rpcFault.transport(), { chainId: 1, id: "a", atMs: 10 })).toBe(true);
	expect(troubles.note(chainFault.chainBehind(), { chainId: 1, id: "b", atMs: 20 })).toBe(true);
	expect(troubles.endedBy(2, ["a"])).toBeNull();
	expect(troubles.endedBy(1, ["c", "b"])).toBe(10);
	expect(troubles.endedBy(1, ["a"])).toBeNull();
});

test("an outage ends only when an intent that failed before succeeds", () => {
	const troubles = createChainTroubles();
	troubles.note(chainFault.chainBehind(), { chainId: 1, id: "a", atMs: 10 });
	expect(troubles.endedBy(1, ["b"])).toBeNull();
	expect(troubles.endedBy(1, ["a"])).toBe(10);
});

test("only the newest failures are remembered", () => {
	const troubles = createChainTroubles();
	for (let id = 0; id < 1_000; id++) {
		troubles.note(rpcFault.transport(), { chainId: 1, id: String(id), atMs: id });
	}
	expect(troubles.endedBy(1, ["0"])).toBeNull();
	expect(troubles.endedBy(1, ["999"])).toBe(0);
});

test("a failure of the database or of our code does not count as the chain's outage", () => {
	const troubles = createChainTroubles();
	for (const error of [dbFault.databaseUnreachable(), new Error("a kind broke")]) {
		expect(troubles.note(error, { chainId: 1, id: "a", atMs: 10 })).toBe(false);
	}
	expect(troubles.endedBy(1, ["a"])).toBeNull();
});
