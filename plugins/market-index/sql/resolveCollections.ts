import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import {
	findCollections,
	type KnownCollection,
} from "#plugins/market-index/sql/findCollections.ts";

/**
 * Finds the collections of contracts, registering those never seen: slug = the address,
 * `syncStatus` = `queued`. The chain's lock is held, so no lane registers the same one meanwhile.
 */
export async function resolveCollections(
	tx: Tx,
	chainId: number,
	contracts: ReadonlyMap<Address, "erc721" | "erc1155">,
): Promise<Map<Address, KnownCollection>> {
	const known = await findCollections(tx, chainId, contracts.keys());
	const missing = [...contracts].filter(([address]) => !known.has(address));
	if (missing.length === 0) return known;
	// The provider's lists register contracts too, in this order and without the lock.
	missing.sort(([a], [b]) => (a < b ? -1 : 1));
	await tx.execute(
		`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(substr(address, 3), 'hex'), address, standard
		from unnest($2::text[], $3::text[]) as given (address, standard)
		on conflict do nothing`,
		[chainId, missing.map(([address]) => address), missing.map(([, standard]) => standard)],
	);
	const addresses = missing.map(([address]) => address);
	for (const [address, collection] of await findCollections(tx, chainId, addresses)) {
		known.set(address, { ...collection, isNew: true });
	}
	return known;
}
