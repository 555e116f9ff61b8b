import type { Tx } from "#core/db/Database.ts";
import { writeRanks } from "#plugins/market-index/tokens/sql/writeRanks.ts";

/** Removes a collection's ranks: they were computed from a part, as if that had been all. */
export async function takeRanksBack(tx: Tx, collectionId: number): Promise<void> {
	await writeRanks(tx, collectionId, []);
	await tx.execute("update market_index.sync set ranked_at = null where collection_id = $1", [
		collectionId,
	]);
}
