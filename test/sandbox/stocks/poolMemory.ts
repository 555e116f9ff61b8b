// Gives pools of Uniswap V3 a history of prices: room for it, and a first observation of a day ago.

import { type Address, encodeFunctionData, type Hex, isHex, parseAbi, toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "../createRpc.ts";

/** Observations that a pool keeps, of one a block at most. */
const OBSERVATIONS_KEPT = 120;
/** Pools seem to be older than their chain, or nobody could ask for a mean of their prices. */
const POOL_AGE_S = 86_400;
/** Where a pool stores its observations, and in its first word how many there are. */
const OBSERVATIONS_SLOT = 8;
const INDEX_BIT = 184n;
const CARDINALITY_BIT = 200n;
const UINT16 = 0xffffn;
const ONE_OBSERVATION = 1n << CARDINALITY_BIT;
/** Set in a word that is an observation, with a sum of ticks of 0. */
const IS_OBSERVATION = 1n << 248n;
const abi = parseAbi(["function increaseObservationCardinalityNext(uint16 cardinality)"]);
const Word = z.custom<Hex>((value) => isHex(value));
const Block = z.object({ timestamp: Word });

/** Returns the call by which a pool gets room for its history; anybody may make it. */
export function makeRoom({ address: to }: { address: Address }): { to: Address; data: Hex } {
	const functionName = "increaseObservationCardinalityNext";
	return { to, data: encodeFunctionData({ abi, functionName, args: [OBSERVATIONS_KEPT] }) };
}

/** Leaves each pool one observation, of a day ago: its price has been the same since. */
export async function forgetPrices(
	rpc: Rpc,
	pools: readonly { address: Address }[],
): Promise<void> {
	const { timestamp } = Block.parse(await rpc.call("eth_getBlockByNumber", ["latest", false]));
	const first = IS_OBSERVATION + BigInt(timestamp) - BigInt(POOL_AGE_S);
	for (const { address } of pools) {
		const words = await rpc.call("eth_getStorageAt", [address, "0x0", "latest"]);
		const state = BigInt(Word.parse(words));
		const kept = Number((state >> CARDINALITY_BIT) & UINT16);
		const one = (state & ~(UINT16 << INDEX_BIT) & ~(UINT16 << CARDINALITY_BIT)) | ONE_OBSERVATION;
		const writes = [
			[0, one],
			[OBSERVATIONS_SLOT, first],
		] as const;
		const gone = Array.from(
			{ length: kept - 1 },
			(_, at) => [OBSERVATIONS_SLOT + 1 + at, 0n] as const,
		);
		await rpc.batch(
			[...writes, ...gone].map(([slot, word]) => ({
				method: "anvil_setStorageAt",
				params: [address, toHex(slot, { size: 32 }), toHex(word, { size: 32 })],
			})),
		);
	}
}
