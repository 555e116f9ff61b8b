import { concatHex, type Hex, keccak256, toHex } from "viem";

/**
 * Returns the Merkle root of Seaport's criteria: the leaves are the hashed ids, sorted; pairs are
 * sorted before they are hashed.
 */
export function merkleRoot(ids: readonly bigint[]): Hex {
	let level = leavesOf(ids);
	while (level.length > 1) level = parentsOf(level);
	return level[0] ?? toHex(0n, { size: 32 });
}

/** Returns the Merkle proof of an id. */
export function merkleProof(ids: readonly bigint[], id: bigint): Hex[] {
	const proof: Hex[] = [];
	let level = leavesOf(ids);
	let at = level.indexOf(leafOf(id));
	if (at < 0) return [];
	while (level.length > 1) {
		const sibling = level[at ^ 1];
		if (sibling) proof.push(sibling);
		level = parentsOf(level);
		at >>= 1;
	}
	return proof;
}

function leavesOf(ids: readonly bigint[]): Hex[] {
	return ids.map(leafOf).sort();
}

function leafOf(id: bigint): Hex {
	return keccak256(toHex(id, { size: 32 }));
}

function parentsOf(level: readonly Hex[]): Hex[] {
	const parents: Hex[] = [];
	for (let at = 0; at < level.length; at += 2) {
		const [one, other] = [level[at], level[at + 1]];
		if (!one) break;
		// A node without a partner moves up unchanged.
		parents.push(other ? keccak256(concatHex([one, other].sort())) : one);
	}
	return parents;
}
