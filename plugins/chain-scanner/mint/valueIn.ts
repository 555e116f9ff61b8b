import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/** A node's answer about a transaction, unchecked. */
export type SentTransaction = { value?: unknown; hash?: unknown; blockHash?: unknown };

/**
 * Reads a transaction's value, in base units of the chain's coin, from the transaction of the log
 * and no other, in the log's own block. Throws `rpc_inconsistent` for other answers.
 */
export function valueIn(answer: unknown, log: RawLog): bigint {
	const hash = log.transactionHash;
	const { value, ...place } = fieldsOf(answer);
	if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
		throw scannerFault.inconsistent({ detail: `the node has no transaction ${hash}` });
	}
	if (place.blockHash === null && isSame(place.hash, hash)) {
		// No contradiction: the block left, or the node announced it before it emptied its pool.
		throw scannerFault.inconsistent({ detail: `the node has ${hash} in no block` });
	}
	if (!isSame(place.hash, hash) || !isSame(place.blockHash, log.blockHash)) {
		const detail = `${hash} is not where its log says`;
		throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
	}
	return BigInt(value);
}

/**
 * Returns what is compared of two endpoints' answers about a transaction; nodes differ in the rest.
 */
export function valueDigest(transaction: unknown): string {
	const { value, hash, blockHash } = fieldsOf(transaction);
	return [value, hash, blockHash].join();
}

function fieldsOf(answer: unknown): SentTransaction {
	return typeof answer === "object" && answer !== null ? answer : {};
}

/** Says whether a node's answer agrees. A missing field agrees with anything; null does not. */
function isSame(said: unknown, expected: Hex): boolean {
	return said === undefined || (typeof said === "string" && said.toLowerCase() === expected);
}
