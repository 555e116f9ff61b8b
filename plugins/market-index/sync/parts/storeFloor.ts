import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import type { SyncContext, SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import { floorOfParts } from "#plugins/market-index/sync/parts/floorOfParts.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";

/** Stores the floor that the parts of a sync give so far. */
export async function storeFloor(
	tx: Tx,
	{ core, prices }: Pick<SyncContext, "core" | "prices">,
	{ row, parts, askedAtMs }: { row: SyncedCollection; parts: SyncParts; askedAtMs: number },
): Promise<void> {
	const chain = core.chains.byId(row.chainId);
	if (!chain) return;
	const nowMs = core.clock.nowMs();
	const reading = floorOfParts(parts, { chainId: row.chainId, prices, nowMs });
	const { outbox } = core;
	await setFloor(tx, { chain, collection: row, reading, outbox, prices, nowMs, askedAtMs });
}
