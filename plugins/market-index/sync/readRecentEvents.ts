import {
	LEAN_FIRST_MS,
	LEAN_OVERLAP_MS,
	LEAN_PAGES_MAX,
	PROVIDER_PAGE,
} from "#plugins/market-index/sync/limits.ts";
import type { SyncContext, SyncedCollection } from "#plugins/market-index/sync/SyncContext.ts";
import { readEventsUntil } from "#plugins/market-index/sync/sql/readEventsUntil.ts";
import { setEventsUntil } from "#plugins/market-index/sync/sql/setEventsUntil.ts";

/** What a sale, a mint, or a transfer that is one, comes as. */
const TYPES = ["sale", "mint", "transfer"] as const;

/**
 * Brings in what the provider says happened since it was last asked, page by page, and then moves
 * the time up to which that is so. What is beyond the last page is said, and not asked for again.
 */
export async function readRecentEvents(
	{ core, provider, merge }: Pick<SyncContext, "core" | "provider" | "merge">,
	asking: {
		collection: SyncedCollection;
		slug: string;
		purpose: "background" | "endless";
		signal: AbortSignal;
	},
): Promise<void> {
	const { collection, slug, purpose, signal } = asking;
	const askedAtMs = core.clock.nowMs();
	const until = await readEventsUntil(core.db, collection.id);
	const afterMs = until ? until.getTime() - LEAN_OVERLAP_MS : askedAtMs - LEAN_FIRST_MS;
	let cursor: string | undefined;
	for (let pages = 1; ; pages++) {
		const page = await provider.events(slug, {
			purpose,
			signal,
			types: TYPES,
			afterMs,
			cursor,
			limit: PROVIDER_PAGE,
		});
		// One slug may span several contracts; each is asked for by itself.
		const ours = page.items.filter(
			({ chainId, nft }) =>
				chainId === collection.chainId && (!nft || nft.contract === collection.address),
		);
		if (ours.length > 0) await merge(collection, ours);
		if (page.cursor === null || page.cursor === cursor) break;
		if (pages >= LEAN_PAGES_MAX) {
			core.log.warn("a collection has more recent events than are read", { slug, pages });
			break;
		}
		cursor = page.cursor;
	}
	await setEventsUntil(core.db, {
		collectionId: collection.id,
		from: until,
		to: new Date(askedAtMs),
	});
}
