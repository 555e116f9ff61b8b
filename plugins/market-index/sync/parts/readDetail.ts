import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";
import { askAgain } from "#plugins/market-index/sync/parts/askAgain.ts";
import { askDetail } from "#plugins/market-index/sync/parts/askDetail.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { storePart } from "#plugins/market-index/sync/parts/storePart.ts";
import { nameSync } from "#plugins/market-index/sync/sql/nameSync.ts";
import { storeDetail } from "#plugins/market-index/sync/sql/storeDetail.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/** Slugs that routes accept, without addresses: one would lead to another contract. */
const SLUG = /^(?!0x[0-9a-f]*$)[a-z0-9][a-z0-9_.-]{0,127}$/;

/**
 * Reads a collection's detail, and stores it with its slug: from then on its events can be read as
 * well. Null where the provider does not know it.
 */
export async function readDetail({
	context,
	row,
	signal,
	parts: before,
}: PartReading): Promise<SyncParts | "taken" | null> {
	const { core } = context;
	const { id: collectionId, startedAt } = row;
	const atMs = core.clock.nowMs();
	const found = await askDetail(context, row, { signal, slugOf });
	if (!found) return null;
	const { slug, detail, isShared } = found;
	const supply = isShared ? null : detail.totalSupply;
	const parts: SyncParts = { detail: { atMs, slug, isShared, supply: supply?.toString() ?? null } };
	const isMine = await storePart(context, { collectionId, startedAt }, parts, async (tx, now) => {
		const at = new Date(core.clock.nowMs());
		await storeDetail(tx, { collectionId, detail, supply, at });
		// Tokens that could not be read here, or of a supply that only the provider knows, can be read
		// now. A list may have told the slug before the first sync.
		const isNews = now.providerSlug !== slug || now.isFirst;
		if (isNews) await core.queue.add(tx, [learnTokensJob(collectionId)]);
		const isNamed = await nameSync(tx, { collectionId, providerSlug: slug, at });
		// Once: a slug that changed with each sync would take every name.
		if (!isNamed || now.providerSlug === slug || now.slug === slug || !SLUG.test(slug)) return;
		await renameCollection(tx, { chainId: row.chainId, collectionId, wish: slug });
	});
	return isMine ? parts : "taken";

	/** Returns the slug, and stores it as soon as it is known: later calls may fail. */
	async function slugOf(): Promise<string | null> {
		if (before.name) return before.name.slug;
		const { chainId, address } = row;
		const call = { purpose: "background", signal } as const;
		const slug = await askAgain(context, signal, () =>
			context.provider.slugOf({ chainId, address }, call),
		);
		if (slug === null) return null;
		const named = { name: { atMs, slug } };
		await storePart(context, { collectionId, startedAt }, named, async () => {});
		return slug;
	}
}
