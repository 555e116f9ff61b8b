import type { Tx } from "#core/db/Database.ts";
import { setFloor } from "#plugins/market-index/floor/setFloor.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";
import type { ProviderReading } from "#plugins/market-index/sync/askProvider.ts";
import {
	FLOOR_AGAIN_MS,
	SYNC_AGAIN_MS,
	UNCOUNTED_AGAIN_MS,
	UNNAMED_AGAIN_MS,
	YOUNG_MS,
} from "#plugins/market-index/sync/limits.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import { closeSync } from "#plugins/market-index/sync/sql/closeSync.ts";
import { lockSync, type SyncRow } from "#plugins/market-index/sync/sql/lockSync.ts";
import { storeProviderRow } from "#plugins/market-index/sync/sql/storeProviderRow.ts";
import { type SyncFigures, syncFigures } from "#plugins/market-index/sync/syncFigures.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/** Slugs that routes take, and that are no address: that would lead to another contract. */
const SLUG = /^(?!0x[0-9a-f]*$)[a-z0-9][a-z0-9_.-]{0,127}$/;

/**
 * Writes what a full sync learned, in one short transaction. Nothing, where another worker took the
 * collection up meanwhile: what that one reads is newer.
 */
export async function storeSync(
	tx: Tx,
	context: Pick<SyncContext, "core" | "prices">,
	{ collectionId, startedAt, reading }: StartedSync & { reading: ProviderReading },
): Promise<void> {
	const { core } = context;
	const row = await lockSync(tx, collectionId);
	if (row?.startedAt?.getTime() !== startedAt.getTime()) return;
	if (!(await moveSync(tx, core.log, { collectionId, event: "succeed" }))) return;
	const nowMs = core.clock.nowMs();
	const at = new Date(nowMs);
	if (reading.kind === "stranger") {
		const nextAt = new Date(nowMs + UNNAMED_AGAIN_MS);
		await closeSync(tx, { collectionId, providerSlug: null, at, nextAt });
		await tx.execute("update market_index.collection set last_provider_at = $2 where id = $1", [
			collectionId,
			at,
		]);
		return;
	}
	const { isUncounted, floorEndsAtMs } = await storeFigures(tx, context, {
		row,
		reading,
		nowMs,
		askedAt: startedAt,
	});
	const isYoung = nowMs - row.registeredAt.getTime() < YOUNG_MS;
	const afterMs = isUncounted && isYoung ? UNCOUNTED_AGAIN_MS : SYNC_AGAIN_MS;
	const endsInMs = Math.max((floorEndsAtMs ?? Number.POSITIVE_INFINITY) - nowMs, FLOOR_AGAIN_MS);
	const nextAt = new Date(nowMs + Math.min(afterMs, endsInMs));
	const { slug } = reading;
	// Tokens that nobody here could read may be asked for now.
	if (row.providerSlug !== slug) await core.queue.add(tx, [learnTokensJob(collectionId)]);
	const isNamed = await closeSync(tx, { collectionId, providerSlug: slug, at, nextAt });
	// Once: a slug that changed with each sync would take every name there is.
	if (!isNamed || row.providerSlug === slug || row.slug === slug || !SLUG.test(slug)) return;
	await renameCollection(tx, { chainId: row.chainId, collectionId, wish: slug });
}

/** A sync that a worker began: whoever begins it anew writes another time there. */
export type StartedSync = { collectionId: number; startedAt: Date };

type Storing = {
	row: SyncRow;
	reading: Extract<ProviderReading, { kind: "known" }>;
	nowMs: number;
	askedAt: Date;
};

async function storeFigures(
	tx: Tx,
	{ core, prices }: Pick<SyncContext, "core" | "prices">,
	{ row, reading, nowMs, askedAt }: Storing,
): Promise<Pick<SyncFigures, "isUncounted" | "floorEndsAtMs">> {
	const { detail, stats } = reading;
	const figures = syncFigures(reading, { ...row, prices, nowMs });
	const { owners, supply, listed } = figures;
	const at = new Date(nowMs);
	const counts = { owners, supply, listed };
	await storeProviderRow(tx, { collectionId: row.id, detail, stats, ...counts, askedAt, at });
	const chain = core.chains.byId(row.chainId);
	if (chain) {
		const setting = { chain, collection: row, reading: figures.floor, outbox: core.outbox };
		await setFloor(tx, { ...setting, prices, nowMs, askedAtMs: askedAt.getTime() });
	}
	return figures;
}
