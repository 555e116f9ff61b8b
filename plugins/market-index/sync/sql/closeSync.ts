import type { Tx } from "#core/db/Database.ts";

/** Ends a sync that succeeded: its parts are removed, as they belong to no later one. */
export async function closeSync(
	tx: Tx,
	sync: { collectionId: number; at: Date; nextAt: Date },
): Promise<void> {
	await tx.execute(
		`update market_index.sync set synced_at = $2, failures = 0, failed_code = null,
			next_at = $3, parts = null
		where collection_id = $1`,
		[sync.collectionId, sync.at, sync.nextAt],
	);
}
