import { type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "./Rpc.ts";
import type { PlannedTx } from "./traffic/Scene.ts";
import type { Actor, World } from "./World.ts";

const Hash = z.custom<Hex>((value) => isHex(value));
const GAS_LIMIT = toHex(1_500_000);
const DEPLOY_GAS_LIMIT = toHex(12_000_000);
const MAX_FEE = toHex(3_000_000_000);
const TIP = toHex(100_000_000);

export type BlockDraft = {
	world: World;
	actors: readonly Actor[];
	txs: readonly PlannedTx[];
	timeS: number;
};

/**
 * Sends a block's transactions with their nonces and mines it at its time; returns their hashes.
 */
export async function mineBlock(
	rpc: Rpc,
	{ world, actors, txs, timeS }: BlockDraft,
): Promise<Hex[]> {
	const calls = txs.map((tx) => {
		const nonce = world.nonces[tx.actor] ?? 0;
		world.nonces[tx.actor] = nonce + 1;
		const from = actors[tx.actor]?.address;
		const target = tx.to === "0x" ? { gas: DEPLOY_GAS_LIMIT } : { to: tx.to, gas: GAS_LIMIT };
		const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: TIP };
		const body = {
			from,
			...target,
			...fees,
			data: tx.data,
			value: toHex(tx.value),
			nonce: toHex(nonce),
		};
		return { method: "eth_sendTransaction", params: [body] };
	});
	const hashes = (await rpc.batch(calls)).map((hash) => Hash.parse(hash));
	// Two requests: anvil guarantees no order within one, and mining must come last.
	await rpc.call("evm_setNextBlockTimestamp", [timeS]);
	await rpc.call("evm_mine", []);
	return hashes;
}
