import type { Tx } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import {
	type SyncEvent,
	type SyncState,
	syncStates,
} from "#plugins/market-index/sync/syncStates.ts";

/**
 * Moves a collection's sync by an event, and locks the collection until the transaction ends. Null
 * where there is no such collection or no such transition: that is logged, and nothing changes.
 */
export async function moveSync(
	tx: Tx,
	log: Log,
	{ collectionId, event }: { collectionId: number; event: SyncEvent },
): Promise<SyncState | null> {
	const rows = await tx.query<{ status: string }>(
		`select sync_status as status from market_index.collection where id = $1 for no key update`,
		[collectionId],
	);
	const status = rows[0]?.status;
	if (status === undefined) return null;
	const next = isState(status) ? syncStates[status][event] : undefined;
	if (next === undefined) {
		log.warn("a sync's transition was refused", { collectionId, status, event });
		return null;
	}
	if (next !== status) {
		await tx.execute("update market_index.collection set sync_status = $2 where id = $1", [
			collectionId,
			next,
		]);
	}
	return next;
}

function isState(text: string): text is SyncState {
	return Object.hasOwn(syncStates, text);
}
