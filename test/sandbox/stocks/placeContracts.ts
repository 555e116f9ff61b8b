import { type Address, type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "../Rpc.ts";
import type { Send } from "./createSender.ts";

export type Placed = { at: Address; creation: Hex };

const Code = z.custom<Hex>((value) => isHex(value));
const GAS = toHex(12_000_000);

/**
 * Puts contracts at chosen addresses: each constructor runs *there* (its creation code is set as
 * code and called), so immutables are as compiled. It is called twice: once to get the code that it
 * returns, once in a transaction that keeps its storage writes.
 */
export async function placeContracts(
	rpc: Rpc,
	{ builder, send, contracts }: { builder: Address; send: Send; contracts: readonly Placed[] },
): Promise<void> {
	await rpc.batch(
		contracts.flatMap(({ at, creation }) => [
			{ method: "anvil_setNonce", params: [at, "0x1"] },
			{ method: "anvil_setCode", params: [at, creation] },
		]),
	);
	const calls = contracts.map(({ at }) => ({ from: builder, to: at, data: "0x", gas: GAS }));
	const codes = await rpc.batch(
		calls.map((call) => ({ method: "eth_call", params: [call, "latest"] })),
	);
	await send(contracts.map(({ at }) => ({ to: at, data: "0x" })));
	await rpc.batch(
		contracts.map(({ at }, index) => ({
			method: "anvil_setCode",
			params: [at, Code.parse(codes[index])],
		})),
	);
}
