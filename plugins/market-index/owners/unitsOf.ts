import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { OwnedMove } from "#plugins/market-index/owners/OwnedMove.ts";
import type { UnitsAdded } from "#plugins/market-index/owners/UnitsAdded.ts";

/**
 * Returns what transfers add to accounts: of an ERC-1155 for both parties, of an ERC-721 only
 * minted and destroyed ids. Several of one block, id and account become one, except for the zero
 * address, where minted and destroyed units must not cancel out.
 */
export function unitsOf(moves: readonly OwnedMove[]): UnitsAdded[] {
	const sums = new Map<string, UnitsAdded>();
	for (const move of moves) {
		const { from, to, standard, quantity, tokenId, lastTokenId } = move;
		const units = standard === "erc1155" ? quantity : lastTokenId - tokenId + 1n;
		add(sums, move, from, -units);
		add(sums, move, to, units);
	}
	return [...sums.values()].filter(({ units }) => units !== 0n);
}

function add(
	sums: Map<string, UnitsAdded>,
	{ setId, blockNumber: block, standard, tokenId }: OwnedMove,
	owner: Address,
	units: bigint,
): void {
	const isSupply = owner === ZERO_ADDRESS;
	if (standard === "erc721" && !isSupply) return;
	const id = standard === "erc721" ? null : tokenId;
	const key = `${setId} ${block} ${id} ${owner} ${isSupply && units > 0n}`;
	const known = sums.get(key);
	if (known) known.units += units;
	else sums.set(key, { setId, block, tokenId: id, owner, units });
}
