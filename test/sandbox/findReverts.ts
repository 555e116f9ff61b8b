import { toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "./Rpc.ts";

const BLOCKS_PER_REQUEST = 50;
const Receipts = z.array(z.object({ transactionHash: z.string(), status: z.string() }));

/**
 * Reads every receipt of these blocks; returns their number and the hashes of failed transactions.
 */
export async function findReverts(
	rpc: Rpc,
	range: { fromBlock: number; toBlock: number },
): Promise<{ transactions: number; reverted: string[] }> {
	let transactions = 0;
	const reverted: string[] = [];
	for (let from = range.fromBlock; from <= range.toBlock; from += BLOCKS_PER_REQUEST) {
		const size = Math.min(BLOCKS_PER_REQUEST, range.toBlock - from + 1);
		const calls = Array.from({ length: size }, (_, i) => ({
			method: "eth_getBlockReceipts",
			params: [toHex(from + i)],
		}));
		for (const answer of await rpc.batch(calls)) {
			const receipts = Receipts.parse(answer);
			transactions += receipts.length;
			reverted.push(...receipts.filter((r) => r.status !== "0x1").map((r) => r.transactionHash));
		}
	}
	return { transactions, reverted };
}
