import type { Address } from "viem";
import type { Actor, World } from "../../World.ts";
import type { Collection, Market } from "./Market.ts";

/** The owner is no actor of the planner. */
const OUTSIDER = -1;

/**
 * Updates the planner's owners from the chain.
 *
 * The planner records its own trades only. But people can buy from the book: planning the sale of a
 * token that an actor no longer has would revert, and a start whose catch-up reverts discards the
 * whole world.
 */
export function matchWorld(world: World, market: Market, actors: readonly Actor[]): void {
	const indexes = new Map<Address, number>(
		actors.map(({ address }, index) => [lower(address), index]),
	);
	for (const state of world.collections) {
		const collection = market.byAddress.get(lower(state.address));
		if (!collection) continue;
		state.minted = Number(collection.units);
		if (collection.facts.standard === "erc721") state.owners = ownersOf(collection, indexes);
		for (const [index, row] of state.units.entries()) {
			const holders = collection.holders.get(BigInt(index + 1));
			for (const [actor, { address }] of actors.entries()) {
				row[actor] = Number(holders?.get(lower(address)) ?? 0n);
			}
		}
	}
}

function ownersOf({ holders }: Collection, indexes: Map<Address, number>): number[] {
	return Array.from({ length: holders.size }, (_, n) => {
		const [holder] = holders.get(BigInt(n + 1))?.keys() ?? [];
		return holder === undefined ? OUTSIDER : (indexes.get(holder) ?? OUTSIDER);
	});
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
