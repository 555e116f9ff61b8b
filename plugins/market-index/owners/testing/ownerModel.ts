import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { TokenMove } from "#plugins/chain-scanner/contract.ts";

/** What a contract's owners are, told in the plainest way. */
export type OwnerState = {
	/** Owner of each ERC-721 id, destroyed ones left out. */
	owners: Record<string, Address>;
	/** `id owner` to units of an ERC-1155. */
	units: Record<string, bigint>;
	holders: Record<string, bigint>;
	ownersCount: number;
	minted: bigint;
	burned: bigint;
};

/** Recomputes everything from all moves of one contract, in chain order. Ids are gone through. */
export function ownerModel(moves: readonly TokenMove[]): OwnerState {
	const owners = new Map<bigint, Address>();
	const units = new Map<string, bigint>();
	let minted = 0n;
	let burned = 0n;
	for (const { standard, from, to, tokenId, lastTokenId, quantity } of moves) {
		for (let id = tokenId; id <= lastTokenId; id++) {
			if (from === ZERO_ADDRESS) minted += quantity;
			if (to === ZERO_ADDRESS) burned += quantity;
			if (standard === "erc721") {
				owners.set(id, to);
				continue;
			}
			const give = `${id} ${from}`;
			const take = `${id} ${to}`;
			units.set(give, (units.get(give) ?? 0n) - quantity);
			units.set(take, (units.get(take) ?? 0n) + quantity);
		}
	}
	const holders = new Map<Address, bigint>();
	const hold = (owner: Address, more: bigint) => {
		if (owner !== ZERO_ADDRESS && more > 0n) holders.set(owner, (holders.get(owner) ?? 0n) + more);
	};
	for (const owner of owners.values()) hold(owner, 1n);
	const held = [...units].filter(([key, count]) => count !== 0n && !key.endsWith(ZERO_ADDRESS));
	for (const [key, count] of held) hold(`0x${key.slice(-40)}`, count);
	const alive = [...owners].filter(([, owner]) => owner !== ZERO_ADDRESS);
	return {
		owners: Object.fromEntries(alive.map(([id, owner]) => [`${id}`, owner])),
		units: Object.fromEntries(held),
		holders: Object.fromEntries(holders),
		ownersCount: holders.size,
		minted,
		burned,
	};
}
