import type { Tx } from "#core/db/Database.ts";

/** Stores when a collection is synced again, how often it failed in a row, and why. */
export async function deferSync(
	tx: Tx,
	sync: { collectionId: number; nextAt: Date; failures: number; failedCode: string | null },
): Promise<void> {
	await tx.execute(
		`update market_index.sync set next_at = $2, failures = $3, failed_code = $4
		where collection_id = $1`,
		[sync.collectionId, sync.nextAt, sync.failures, sync.failedCode],
	);
}
