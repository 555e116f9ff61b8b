import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { shareRpc } from "#core/chain/reads/shareRpc.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { rpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import { assert } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { findByNonce, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { readReceipts } from "#plugins/wallets/chain/readReceipts.ts";
import { lyingEndpoint } from "#plugins/wallets/testing/lyingEndpoint.ts";
import { createScriptedChain } from "#plugins/wallets/testing/scriptedChain.ts";

// Guarantee: what one endpoint answers wrong is asked of another, and counted against the first.

const ANNA = `0x${"a1".repeat(20)}` as const;
const SHOP = `0x${"5".repeat(40)}` as const;
const signal = new AbortController().signal;
const anvil = builtinChains.find(({ slug }) => slug === "anvil");
const OUT_OF_RANGE = [
	...["0x20000000000000", `0x${"f".repeat(64)}`, "0x-1", "", "0x", "1.5", 1.5, "many", {}, null],
];

/** One chain behind two endpoints; the first says `lie` in place of what `method` answers. */
function openPool(lie: { method: string; member?: string; value: unknown }) {
	assert(anvil, "the sandbox's chain is built in");
	const chain = createScriptedChain();
	const metrics = createMetrics();
	const honest: Rpc = {
		...chain.rpc,
		call: async (call, options) => {
			return call.method === "eth_chainId" ? "0x7a69" : await chain.rpc.call(call, options);
		},
	};
	const { method, member, value } = lie;
	const told = { method, path: member === undefined ? [] : [member], value };
	const liar = lyingEndpoint(honest, () => told);
	const pool = chainRpc({
		chain: anvil,
		endpoints: [
			{ name: "liar", open: () => liar },
			{ name: "honest", open: () => honest },
		],
		clock: { nowMs: () => 1_000_000 },
		log: silentLog,
		metrics: rpcMetrics(metrics),
	});
	const caught = async () => {
		const { body } = await metrics.expose();
		const lines = body.split("\n").filter((line) => line.includes("rpc_inconsistency_total{"));
		return lines.map((line) => /endpoint="(\w+)"/.exec(line)?.[1]);
	};
	return { chain, rpc: shareRpc(pool), caught };
}

describe("a number out of its range, with a second endpoint", () => {
	const MEMBERS = [
		["eth_getBalance"],
		["eth_getTransactionCount"],
		["eth_gasPrice"],
		["eth_feeHistory", "oldestBlock"],
	] as const;
	test("each number of an account is read again from the other endpoint", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...MEMBERS),
				fc.constantFrom(...OUT_OF_RANGE),
				async ([method, member], value) => {
					// An amount may be as large as 256 bits are, and a price of gas 2^53 wei.
					fc.pre(method !== "eth_getBalance" || !/^0x[2f]/.test(String(value)));
					fc.pre(method !== "eth_gasPrice" || value !== "0x20000000000000");
					const lie = { method, value, ...(member ? { member } : {}) };
					const { rpc, caught } = openPool(lie);
					const both = await Promise.all(
						[ANNA, SHOP].map((address) => readAccount(rpc, { address, plans: [], signal })),
					);
					for (const { account } of both) {
						expect(account).toMatchObject({
							pendingNonce: 0,
							headBlock: 0,
							balanceRaw: 10n ** 24n,
						});
					}
					expect(new Set(await caught())).toEqual(new Set(["liar"]));
				},
			),
			{ numRuns: 100 },
		);
	});

	test("each number of a receipt, a head and a transaction is read again from the other endpoint", async () => {
		for (const value of OUT_OF_RANGE) {
			for (const [method, member] of [
				["eth_getTransactionReceipt", "blockNumber"],
				["eth_getTransactionReceipt", "status"],
				["eth_getTransactionByHash", "nonce"],
				["eth_blockNumber", undefined],
			] as const) {
				const lie = { method, value, ...(member ? { member } : {}) };
				const { rpc, chain, caught } = openPool(lie);
				const sent = { from: ANNA, to: SHOP, nonce: 0, valueRaw: 5n, data: "0x12" } as const;
				const hash = chain.send(sent);
				chain.mine();
				const [seen] = await readReceipts(rpc, { asked: [{ hash, minBlock: 0 }], signal });
				expect(seen).toMatchObject({ receipt: { blockNumber: 1, succeeded: true }, headBlock: 1 });
				expect(await caught()).toEqual(["liar"]);
			}
			const { rpc } = openPool({ method: "eth_getTransactionCount", value });
			const asked = { address: ANNA, nonce: 0, fromBlock: 0, signal };
			expect(await findByNonce(rpc, asked)).toEqual({ kind: "free" });
		}
	});
});
