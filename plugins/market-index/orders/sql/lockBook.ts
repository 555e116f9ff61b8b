import type { Address } from "#core/chain/Hex.ts";
import type { SqlValue, Tx } from "#core/db/Database.ts";

export type LockedBook = {
	id: number;
	chainId: number;
	address: Address;
	generation: number;
	ordersAt: Date | null;
	floorNative: string | null;
	listedCount: number | null;
};

/**
 * Locks the book of a provider's slug on a chain, by `sync_slug`, or that of a collection, against
 * syncs of it until the transaction ends, and returns it. The book's row is locked first and the
 * collection's after it, as in `writeBook`.
 */
export async function lockBook(
	tx: Tx,
	named: { chainId: number; slug: string } | { collectionId: number },
): Promise<LockedBook | null> {
	const [where, values]: [string, SqlValue[]] =
		"slug" in named
			? ["chain_id = $1 and provider_slug = $2", [named.chainId, named.slug]]
			: ["collection_id = $1", [named.collectionId]];
	const rows = await tx.query<{ id: number; generation: number; ordersAt: Date | null }>(
		`select collection_id as id, generation, orders_at as "ordersAt" from market_index.sync
		where ${where} for update`,
		values,
	);
	const [book] = rows;
	if (!book) return null;
	const [collection] = await tx.query<{
		chainId: number;
		address: Address;
		floorNative: string | null;
		listedCount: number | null;
	}>(
		`select chain_id as "chainId", '0x' || encode(address, 'hex') as address,
			floor_native as "floorNative", listed_count as "listedCount"
		from market_index.collection where id = $1 and not excluded`,
		[book.id],
	);
	return collection ? { ...book, ...collection } : null;
}
