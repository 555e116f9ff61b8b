import { z } from "zod";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { chainFault } from "#core/chain/reads/faults.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** A block with the hashes of what it holds, in small letters. */
export type BlockRead = { hash: string; transactions: readonly string[] };

const lowerHex = z.string().toLowerCase();
const TRANSACTIONS_MAX = 100_000;
const block = z.object({
	hash: lowerHex,
	transactions: z
		.array(z.union([lowerHex, z.object({ hash: lowerHex }).transform(({ hash }) => hash)]))
		.max(TRANSACTIONS_MAX),
});

/**
 * Reads blocks by their numbers in one request. What a node does not have, or says wrong, of one of
 * them is the answer for that one alone.
 */
export async function readBlocks(
	rpc: Rpc,
	{ numbers, ...options }: RpcOptions & { numbers: readonly number[] },
): Promise<Map<number, BlockRead | Fault>> {
	if (numbers.length === 0) return new Map();
	const calls = numbers.map((number) => ({
		method: "eth_getBlockByNumber",
		params: [hexQuantity(number), false],
	}));
	// A node that has not come so far has no such block.
	const isReadable = (result: unknown) => result === null || block.safeParse(result).success;
	const minBlock = Math.max(...numbers);
	const outcomes = await rpc.settle(calls, { minBlock, isReadable, ...options });
	return new Map(
		numbers.map((number, place) => {
			const outcome = outcomes[place];
			if (outcome?.kind !== "result") {
				return [number, outcome?.fault ?? chainFault.chainUnreadable()];
			}
			const read = block.safeParse(outcome.result);
			return [number, read.success ? read.data : chainFault.chainUnreadable()];
		}),
	);
}
