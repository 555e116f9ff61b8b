import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** What applying a batch needs to know of a collection. */
export type KnownCollection = {
	id: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	excluded: boolean;
	/** True when this call registered it. */
	isNew: boolean;
};

/**
 * Finds the collections of contracts, registering those never seen: slug = the address,
 * `syncStatus` = `queued`. The chain's lock is held, so no lane registers the same one meanwhile.
 */
export async function resolveCollections(
	tx: Tx,
	chainId: number,
	contracts: ReadonlyMap<Address, "erc721" | "erc1155">,
): Promise<Map<Address, KnownCollection>> {
	const known = new Map<Address, KnownCollection>();
	const select = async (addresses: readonly Address[], isNew: boolean) => {
		const bytes = addresses.map((address) => Buffer.from(address.slice(2), "hex"));
		const rows = await tx.query<Omit<KnownCollection, "isNew">>(
			`select id, '0x' || encode(address, 'hex') as address, slug, name,
				image_url as "imageUrl", excluded
			from market_index.collection where chain_id = $1 and address = any($2::bytea[])`,
			[chainId, bytes],
		);
		for (const row of rows) known.set(row.address, { ...row, isNew });
	};
	await select([...contracts.keys()], false);
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
	await select(
		missing.map(([address]) => address),
		true,
	);
	return known;
}
