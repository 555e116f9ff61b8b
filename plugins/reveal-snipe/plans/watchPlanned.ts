import type { Core } from "#core/plugin/Core.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { BOOKS_KEPT_MAX } from "#plugins/reveal-snipe/plans/limits.ts";
import { readPlannedCollections } from "#plugins/reveal-snipe/sql/plans.ts";
import { unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";

/**
 * Watches the collections of all open plans, and stops watching others for plans. The transaction
 * that stores a plan adds its collection; this removes collections, and repairs effects of parallel
 * changes.
 *
 * The order books of the first collections are kept current, and refreshed at once during a reveal:
 * a plan chooses from its collection's stored book.
 */
export async function watchPlanned({
	core: { db, clock },
	market: { book },
}: {
	core: Pick<Core, "db" | "clock">;
	market: { book: Pick<MarketIndex["book"], "watch"> };
}): Promise<void> {
	const at = new Date(clock.nowMs());
	const planned = await readPlannedCollections(db, at);
	for (const { collectionId, chainId } of planned) {
		await watchCollection(db, { collectionId, chainId, reason: "plan", at });
	}
	const ids = planned.map(({ collectionId }) => collectionId);
	await unwatchOthers(db, "plan", ids);
	const urgent = planned.flatMap(({ collectionId: id, isUrgent }) => (isUrgent ? [id] : []));
	if (urgent.length > 0) await book.watch(urgent, { at, isUrgent: true });
	if (ids.length > 0) await book.watch(ids.slice(0, BOOKS_KEPT_MAX), { at, isUrgent: false });
}
