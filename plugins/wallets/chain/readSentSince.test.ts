import { describe, expect, test } from "bun:test";
import {
	readSentSince,
	SENT_BLOCKS_MAX,
	SENT_SCAN_MAX,
} from "#plugins/wallets/chain/readSentSince.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import { SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { openOwnersWallet } from "#plugins/wallets/testing/openOwnersWallet.ts";

// Guarantee: a search of what an account sent is bounded, goes on where it was cut short, and
// believes no node that contradicts itself.

const owner = openOwnersWallet();
const { ask, read, send, mine, ticks } = owner;

describe("a search", () => {
	test("a search of a busy wallet resumes where it stopped, and ends no intent before it is done", async () => {
		const intent = await ask();
		const count = 3 * SENT_BLOCKS_MAX;
		const from = owner.address;
		for (let nonce = 0; nonce < count; nonce++) {
			owner.lab.chain.send({ from, to: SHOP, nonce, valueRaw: 1n, data: "0x" });
			mine(1);
		}
		const sent = send(intent, { nonce: count });
		mine();
		await owner.lab.tick(QUESTION_LIFETIME_MS);
		await ticks(2, 10_000);
		expect((await read(intent)).status).toBe("signature_required");
		await ticks(4, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a search at a node without old state reads blocks, a part in each turn", async () => {
		const intent = await ask();
		mine(2 * SENT_SCAN_MAX);
		const sent = send(intent);
		mine();
		owner.lab.chain.state.oldestState = 2 * SENT_SCAN_MAX + 2;
		await owner.lab.tick(QUESTION_LIFETIME_MS);
		await owner.lab.tick(10_000);
		expect((await read(intent)).status).toBe("signature_required");
		await ticks(4, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a search does not believe a block that hides a transaction which the account's counts show", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		const { batch } = owner.lab.chain.rpc;
		owner.lab.chain.rpc.batch = async (calls, options) => {
			const answers = await batch(calls, options);
			return answers.map((one, place) => {
				return calls[place]?.method === "eth_getBlockByNumber"
					? { ...(one as object), transactions: [] }
					: one;
			});
		};
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		owner.lab.chain.rpc.batch = batch;
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a search gets its second opinion from another endpoint than the first answer", async () => {
		const { settle } = owner.lab.chain.rpc;
		const beside: string[][] = [];
		owner.lab.chain.rpc.settle = async (calls, options) => {
			if (options?.second) beside.push([...(options.heard ?? [])]);
			else options?.heard?.add("first");
			return await settle(calls, options);
		};
		const { signal } = new AbortController();
		mine();
		await readSentSince(owner.lab.chain.rpc, { address: owner.address, fromBlock: 1, signal });
		expect(beside).toEqual([["first"]]);
	});
});
