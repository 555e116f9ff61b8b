import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { type TokenMove, tokenMoves } from "#plugins/chain-scanner/sale/tokenMoves.ts";

const hex = z.custom<Hex>((value) => typeof value === "string" && value.startsWith("0x"));
const receiptSchema = z.object({
	blockHash: hex,
	logs: z.array(z.object({ address: hex, topics: z.array(hex).max(4), data: hex })),
});

/** Reads what moved in each of these transactions, by their receipts; in one batch. */
export async function readMoves(
	rpc: Rpc,
	transactions: readonly { hash: Hex; blockHash: Hex }[],
	signal: AbortSignal,
): Promise<Map<Hex, TokenMove[]>> {
	if (transactions.length === 0) return new Map();
	const calls = transactions.map(({ hash }) => {
		return { method: "eth_getTransactionReceipt", params: [hash] };
	});
	const answers = await rpc.batch(calls, { signal });
	return new Map(
		transactions.map(({ hash, blockHash }, index) => {
			const receipt = receiptSchema.safeParse(answers[index]);
			if (!receipt.success || receipt.data.blockHash.toLowerCase() !== blockHash) {
				throw scannerFault.inconsistent({ detail: `the node has no receipt of ${hash}` });
			}
			return [hash, tokenMoves(receipt.data.logs)];
		}),
	);
}
