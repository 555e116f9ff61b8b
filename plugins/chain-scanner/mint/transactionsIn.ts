import type { Hex } from "#core/chain/Hex.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** A block's transactions by their hashes, unchecked, and the approximate bytes of the answer. */
export type BlockTransactions = { byHash: ReadonlyMap<string, object>; bytes: number };

/** Bytes of a transaction's members without its input. */
const TRANSACTION_BYTES = 700;

/**
 * Reads a node's answer to a request for a block with its transactions; null where it sent their
 * hashes only. Throws `rpc_inconsistent` for another block, and where there is none.
 */
export function transactionsIn(answer: unknown, blockHash: Hex): BlockTransactions | null {
	if (typeof answer !== "object" || answer === null || !("hash" in answer)) {
		throw scannerFault.inconsistent({ detail: `the node has no block ${blockHash}` });
	}
	if (typeof answer.hash !== "string" || answer.hash.toLowerCase() !== blockHash) {
		const detail = `asked for block ${blockHash}, the node sent another one`;
		throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
	}
	const sent = "transactions" in answer ? answer.transactions : null;
	if (!Array.isArray(sent)) return null;
	const byHash = new Map<string, object>();
	let bytes = 0;
	for (const one of sent as unknown[]) {
		if (typeof one !== "object" || one === null) return null;
		if (!("hash" in one) || typeof one.hash !== "string") continue;
		bytes += TRANSACTION_BYTES;
		if ("input" in one && typeof one.input === "string") bytes += one.input.length;
		byHash.set(one.hash.toLowerCase(), one);
	}
	return { byHash, bytes };
}
