import type { Tx } from "#core/db/Database.ts";
import { FLOOR_AGAIN_MS } from "#plugins/market-index/pace/limits.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	SYNC_AGAIN_MS,
	UNCOUNTED_AGAIN_MS,
	UNNAMED_AGAIN_MS,
	YOUNG_MS,
} from "#plugins/market-index/sync/limits.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import { floorOfParts } from "#plugins/market-index/sync/parts/floorOfParts.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { closeSync } from "#plugins/market-index/sync/sql/closeSync.ts";
import { lockSync, type SyncRow } from "#plugins/market-index/sync/sql/lockSync.ts";
import { nameSync } from "#plugins/market-index/sync/sql/nameSync.ts";
import { syncJobs, WALKED_PRIORITY } from "#plugins/market-index/sync/syncJobs.ts";
import { isWalked } from "#plugins/market-index/sync/walk/sql/isWalked.ts";
import type { WalkedOnce } from "#plugins/market-index/sync/walk/walkOnce.ts";

/**
 * Ends a full sync of which everything arrived. A first sync whose day of events is still being
 * read stays `syncing`, without a worker: it is queued for its next page, or continues when the
 * walk ends. Does nothing where another worker took the collection meanwhile.
 */
export async function endSync(
	tx: Tx,
	context: Pick<SyncContext, "core" | "prices">,
	ended: {
		row: PartReading["row"];
		/** Null where the provider does not know the contract. */
		parts: SyncParts | null;
		walked: WalkedOnce;
	},
): Promise<void> {
	const { core } = context;
	const { parts, walked } = ended;
	const { id: collectionId, startedAt } = ended.row;
	const row = await lockSync(tx, collectionId);
	if (row?.startedAt?.getTime() !== startedAt.getTime()) return;
	const nowMs = core.clock.nowMs();
	const at = new Date(nowMs);
	// Checked again under the lock: a worker that ended the walk meanwhile found this sync still
	// running, and does not continue it.
	if (walked !== "walked" && !(await isWalked(tx, collectionId))) {
		if (walked === "more") await core.queue.add(tx, syncJobs([collectionId], WALKED_PRIORITY));
		// If nothing else continues it, a tick does.
		const nextAt = new Date(nowMs + SYNC_AGAIN_MS);
		await tx.execute(
			"update market_index.sync set started_at = null, next_at = $2 where collection_id = $1",
			[collectionId, nextAt],
		);
		return;
	}
	if (!(await moveSync(tx, core.log, { collectionId, event: "succeed" }))) return;
	if (parts === null) await nameSync(tx, { collectionId, providerSlug: null, at });
	await tx.execute("update market_index.collection set last_provider_at = $2 where id = $1", [
		collectionId,
		at,
	]);
	const afterMs = parts === null ? UNNAMED_AGAIN_MS : nextInMs(parts, { ...context, row, nowMs });
	await closeSync(tx, { collectionId, at, nextAt: new Date(nowMs + afterMs) });
}

/**
 * Returns how long until the next sync, in ms: sooner where the provider has not counted a new
 * collection, and when the last ask at the floor expires.
 */
function nextInMs(
	parts: SyncParts,
	{ prices, row, nowMs }: Pick<SyncContext, "prices"> & { row: SyncRow; nowMs: number },
): number {
	const { detail, stats, listings } = parts;
	const isUncounted = !detail?.isShared && (!stats?.floor || !stats.owners);
	const isYoung = nowMs - row.registeredAt.getTime() < YOUNG_MS;
	const againMs = isUncounted && isYoung ? UNCOUNTED_AGAIN_MS : SYNC_AGAIN_MS;
	// A part that was kept while others failed is as old as its own answer.
	const oldestMs = Math.min(...[detail, stats, listings].map((part) => part?.atMs ?? nowMs));
	const afterMs = Math.max(Math.min(againMs, oldestMs + SYNC_AGAIN_MS - nowMs), FLOOR_AGAIN_MS);
	const floor = floorOfParts(parts, { chainId: row.chainId, prices, nowMs });
	const { best = null, bestEndsAtMs = null } = listings ?? {};
	const isBest = floor.kind === "ask" && best !== null && BigInt(best.unitNative) === floor.native;
	if (!isBest || bestEndsAtMs === null) return afterMs;
	return Math.min(afterMs, Math.max(bestEndsAtMs - nowMs, FLOOR_AGAIN_MS));
}
