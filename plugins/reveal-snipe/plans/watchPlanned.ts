import type { Core } from "#core/plugin/Core.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { BOOKS_KEPT_MAX } from "#plugins/reveal-snipe/plans/limits.ts";
import { readPlannedCollections } from "#plugins/reveal-snipe/sql/plans.ts";
import { unwatchOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";

/**
 * Has the collections of all open plans watched, and no others for a plan. A plan has its
 * collection watched in the transaction that stores it; this ends it, and repairs what two at once
 * left.
 *
 * The order books of the first of them are kept current, and read again at once while a collection
 * is being revealed: what a plan chooses from is as old as its book.
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
