import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { byPurpose } from "#core/chain/rpc/byPurpose.ts";
import { RPC_PURPOSES } from "#core/chain/rpc/RpcPurpose.ts";
import { rpcLab } from "#core/chain/rpc/testing/rpcLab.ts";

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;

test("each purpose has one Rpc, which asks under its name", async () => {
	const lab = rpcLab(anvil, 1);
	const rpcs = byPurpose(lab.rpc);
	expect(Object.keys(rpcs)).toEqual(Object.keys(RPC_PURPOSES));
	await rpcs.tokens.call({ method: "eth_call", params: [] });
	expect(await lab.lines("rpc_calls_total")).toContain(
		'{chain="anvil",method="eth_call",purpose="tokens"} 1',
	);
});
