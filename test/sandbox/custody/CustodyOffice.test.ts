import { expect, test } from "bun:test";
import type { Rpc } from "../createRpc.ts";
import { statusOf } from "./CustodyOffice.ts";
import type { StoredTransaction } from "./createCustodyStore.ts";

const sent: StoredTransaction = {
	id: "one",
	referenceId: null,
	walletId: "wallet",
	caip2: "eip155:31337",
	sender: `0x${"aa".repeat(20)}`,
	nonce: 7,
	hash: `0x${"bb".repeat(32)}`,
	status: "broadcasted",
	createdAtMs: 0,
	broadcasts: 1,
};

/**
 * Makes a node that mines a block after `blockBefore` questions. `isOurs`: the block holds our
 * transaction; else another one took its nonce.
 */
function nodeWith({ blockBefore, isOurs }: { blockBefore: number; isOurs: boolean }) {
	let asked = 0;
	const call = async (method: string): Promise<unknown> => {
		const isMined = ++asked > blockBefore;
		if (method === "eth_getTransactionCount") return isMined ? "0x8" : "0x7";
		return isMined && isOurs ? { status: "0x1" } : null;
	};
	const rpc = { call } as unknown as Rpc;
	return { chainOf: () => ({ id: 31_337, rpc }) };
}

test("a transaction mined between two calls is confirmed, never replaced", async () => {
	for (const blockBefore of [0, 1]) {
		const office = nodeWith({ blockBefore, isOurs: true });
		expect(await statusOf(office, sent)).toBe("confirmed");
	}
});

test("a transaction whose nonce another one used is replaced", async () => {
	expect(await statusOf(nodeWith({ blockBefore: 0, isOurs: false }), sent)).toBe("replaced");
});

test("a transaction that waits for a block keeps its status", async () => {
	const office = nodeWith({ blockBefore: 3, isOurs: true });
	expect(await statusOf(office, sent)).toBe("broadcasted");
});
