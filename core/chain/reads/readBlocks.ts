import { z } from "zod";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { chainFault } from "#core/chain/reads/faults.ts";
import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** A block with the hashes of its transactions, in lower case. */
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
 * Reads blocks by their numbers in one request. If the node lacks one, or answers it wrongly, only
 * that entry is a Fault.
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
	// A node that is behind does not have the block.
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
