import type { Tx } from "#core/db/Database.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { lockSync, type SyncRow } from "#plugins/market-index/sync/sql/lockSync.ts";

/**
 * A sync, with the time when this worker began it. A worker that begins it again writes a new time.
 */
export type StartedSync = { collectionId: number; startedAt: Date };

/**
 * Stores one part of a sync's answers, and the figures made from it, in one short transaction. When
 * a later part fails, the next sync need not read this one again. Returns false, and writes
 * nothing, where another worker has begun this sync again: its answers are newer.
 */
export function storePart(
	{ core }: Pick<SyncContext, "core">,
	{ collectionId, startedAt }: StartedSync,
	parts: SyncParts,
	write: (tx: Tx, row: SyncRow) => Promise<void>,
): Promise<boolean> {
	return core.db.transaction(async (tx) => {
		const row = await lockSync(tx, collectionId);
		if (row?.startedAt?.getTime() !== startedAt.getTime()) return false;
		await write(tx, row);
		await tx.execute("update market_index.sync set parts = $2::jsonb where collection_id = $1", [
			collectionId,
			JSON.stringify(parts),
		]);
		return true;
	});
}
