import type { Tx } from "#core/db/Database.ts";
import { renameCollections } from "#plugins/market-index/sql/renameCollections.ts";

/**
 * Renames one collection as `renameCollections` does; returns its slug, or null where it is gone.
 */
export async function renameCollection(
	tx: Tx,
	options: { chainId: number; collectionId: number; wish: string },
): Promise<string | null> {
	const { chainId, collectionId, wish } = options;
	const slugs = await renameCollections(tx, { chainId, wishes: [{ collectionId, wish }] });
	return slugs.get(collectionId) ?? null;
}
