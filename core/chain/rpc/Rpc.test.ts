import { describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { byPurpose, RPC_PURPOSES, withPurpose } from "#core/chain/rpc/Rpc.ts";
import { rpcLab } from "#core/chain/rpc/testing/rpcLab.ts";

describe("byPurpose", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;

	test("each purpose has its own Rpc, whose calls are counted under the purpose", async () => {
		const lab = rpcLab(anvil, 1);
		const rpcs = byPurpose(lab.rpc);
		expect(Object.keys(rpcs)).toEqual(Object.keys(RPC_PURPOSES));
		await rpcs.tokens.call({ method: "eth_call", params: [] });
		expect(await lab.lines("rpc_calls_total")).toContain(
			'{chain="anvil",method="eth_call",purpose="tokens"} 1',
		);
	});
});

describe("withPurpose", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
	const block = { method: "eth_getBlockByNumber", params: ["0x7", false] };

	test("call, batch and settle are counted under the caller's purpose", async () => {
		const lab = rpcLab(anvil, 1);
		const { signal } = new AbortController();
		const names = withPurpose(lab.rpc, "names");
		await names.call(block);
		await names.batch([block, block], { signal });
		await names.settle([block], { minBlock: 7 });
		await withPurpose(names, "live").call(block);
		const calls = await lab.lines("rpc_calls_total");
		expect(calls).toEqual([
			'{chain="anvil",method="eth_chainId",purpose="names"} 1',
			'{chain="anvil",method="eth_getBlockByNumber",purpose="names"} 5',
		]);
	});

	test("the first call's eth_chainId is counted under the purpose of that call", async () => {
		const lab = rpcLab(anvil, 1);
		await withPurpose(lab.rpc, "intents").call(block);
		expect(await lab.lines("rpc_calls_total")).toContain(
			'{chain="anvil",method="eth_chainId",purpose="intents"} 1',
		);
	});
});
