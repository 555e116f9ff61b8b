import { Fault } from "#core/fault/Fault.ts";
import { salesOfDay } from "#plugins/market-index/figures/salesOfDay.ts";
import { askAgain } from "#plugins/market-index/sync/parts/askAgain.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { storeFloor } from "#plugins/market-index/sync/parts/storeFloor.ts";
import { storePart } from "#plugins/market-index/sync/parts/storePart.ts";
import { storeStats } from "#plugins/market-index/sync/sql/storeStats.ts";
import type { ProviderStats } from "#plugins/provider/contract.ts";

/** What stats of a slug with several contracts mean for one of them: nothing. */
const NOTHING = { owners: null, salesDay: null };

/**
 * Reads the stats of a collection, and stores their owners and floor. Unreadable stats say nothing:
 * what is known stays, and the sync continues.
 */
export async function readStats({
	context,
	row,
	signal,
	parts: before,
}: PartReading): Promise<SyncParts | "taken"> {
	const { core } = context;
	const { id: collectionId, startedAt } = row;
	const atMs = core.clock.nowMs();
	const slug = before.detail?.slug ?? "";
	let isRead = true;
	let stats: ProviderStats | null = null;
	try {
		const call = { purpose: "background", signal } as const;
		stats = await askAgain(context, signal, () => context.provider.stats(slug, call));
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "provider_unreadable") throw error;
		isRead = false;
	}
	const { floor = null, owners = null } = stats ?? {};
	const parts: SyncParts = { ...before, stats: { atMs, isRead, floor, owners } };
	const isMine = await storePart(context, { collectionId, startedAt }, parts, async (tx) => {
		if (!stats) return;
		const at = new Date(core.clock.nowMs());
		const isShared = before.detail?.isShared ?? false;
		const told = isShared ? NOTHING : { owners, salesDay: salesOfDay(stats.raw) };
		await storeStats(tx, { collectionId, stats, ...told, askedAt: new Date(atMs), at });
		await storeFloor(tx, context, { row, parts, askedAtMs: atMs });
	});
	return isMine ? parts : "taken";
}
