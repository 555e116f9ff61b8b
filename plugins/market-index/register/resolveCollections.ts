import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { registerCollections } from "#plugins/market-index/register/registerCollections.ts";
import { findCollections } from "#plugins/market-index/sql/findCollections.ts";

/**
 * Finds the collections of contracts, registering new ones. The chain's lock is held, so no lane
 * registers the same one meanwhile; the provider's lists may.
 */
export async function resolveCollections(
	tx: Tx,
	queue: JobQueue,
	{ chainId, contracts, areOwed = false }: Resolving,
): Promise<Map<Address, KnownCollection>> {
	const found = await findCollections(tx, chainId, [...contracts.keys()]);
	const known = new Map(found.map((collection) => [collection.address, collection]));
	const missing = [...contracts].flatMap(([address, standard]) => {
		return known.has(address) ? [] : { address, standard };
	});
	if (missing.length === 0) return known;
	const fresh = await registerCollections(tx, queue, { chainId, contracts: missing, areOwed });
	const isFresh = new Set(fresh.map(({ id }) => id));
	const addresses = missing.map(({ address }) => address);
	for (const collection of await findCollections(tx, chainId, addresses)) {
		known.set(collection.address, { ...collection, isNew: isFresh.has(collection.id) });
	}
	return known;
}

type Resolving = {
	chainId: number;
	contracts: ReadonlyMap<Address, "erc721" | "erc1155">;
	/** As in `Registration`. */
	areOwed?: boolean;
};
