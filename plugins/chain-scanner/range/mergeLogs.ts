// Merges the logs of several queries, and checks that they are of one chain.

import type { Hex, RawLog } from "#core/chain/Hex.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";

/**
 * Merges the answers to a range's queries into one list, in chain order, and checks that they are
 * of one chain: one hash for each block, that of its header where there is one, one block for each
 * transaction, one log at each place.
 *
 * A node that switches forks between two answers, or endpoints behind one balancer that disagree,
 * would otherwise give events of blocks that exclude each other. A log sent twice identically
 * counts once.
 */
export function mergeLogs(
	lists: readonly (readonly RawLog[])[],
	hashes: ReadonlyMap<number, Hex>,
): RawLog[] {
	const merged: RawLog[] = [];
	const blockOf = new Map<Hex, number>();
	let hash: Hex | null = null;
	let number = -1;
	for (const log of inOrder(lists)) {
		const before = merged.at(-1);
		const block = Number(log.blockNumber);
		if (block !== number) {
			number = block;
			hash = hashes.get(block) ?? log.blockHash;
		}
		if (log.blockHash !== hash)
			throw contradiction("hash_mismatch", `block ${block} has two hashes`);
		const isNext = before?.transactionHash === log.transactionHash && before.blockHash === hash;
		const home = isNext ? block : blockOf.get(log.transactionHash);
		if (home === undefined) blockOf.set(log.transactionHash, block);
		else if (home !== block) {
			const detail = `${log.transactionHash} is in the blocks ${home} and ${block}`;
			throw contradiction("hash_mismatch", detail);
		}
		const samePlace =
			before !== undefined &&
			Number(before.blockNumber) === block &&
			Number(before.logIndex) === Number(log.logIndex);
		if (!samePlace) merged.push(log);
		else if (!isSame(before, log)) {
			const detail = `block ${block} has two logs at ${Number(log.logIndex)}`;
			throw contradiction("duplicate_log", detail);
		}
	}
	return merged;
}

/** Merges lists that are each in chain order. */
function inOrder(lists: readonly (readonly RawLog[])[]): readonly RawLog[] {
	return lists.reduce((all, list) => mergeTwo(all, list), []);
}

function mergeTwo(a: readonly RawLog[], b: readonly RawLog[]): readonly RawLog[] {
	if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
	const merged: RawLog[] = [];
	let [left, right] = [a[0], b[0]];
	let [atLeft, atRight] = [0, 0];
	while (left && right) {
		if (isBefore(right, left)) {
			merged.push(right);
			right = b[++atRight];
		} else {
			merged.push(left);
			left = a[++atLeft];
		}
	}
	for (; left; left = a[++atLeft]) merged.push(left);
	for (; right; right = b[++atRight]) merged.push(right);
	return merged;
}

function isBefore(a: RawLog, b: RawLog): boolean {
	if (a.blockNumber !== b.blockNumber) return Number(a.blockNumber) < Number(b.blockNumber);
	return Number(a.logIndex) < Number(b.logIndex);
}

function contradiction(kind: "hash_mismatch" | "duplicate_log", detail: string) {
	return scannerFault.inconsistent({ detail, meta: { kind } });
}

function isSame(a: RawLog, b: RawLog): boolean {
	return (
		a.transactionHash === b.transactionHash &&
		a.address === b.address &&
		a.data === b.data &&
		a.topics.join() === b.topics.join()
	);
}
