import {
	BOOK_EVERY_MS,
	BOOK_EVERY_PER_PAGE_MS,
	BOOK_PAGES_MAX,
} from "#plugins/market-index/orders/limits.ts";
import { readPages } from "#plugins/market-index/orders/readPages.ts";
import type { DueBook } from "#plugins/market-index/orders/sql/claimBook.ts";
import { writeBook } from "#plugins/market-index/orders/writeBook.ts";
import { PROVIDER_PAGE } from "#plugins/market-index/sync/limits.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import { bookFloorsJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/** Reads a whole book from the provider, and then writes it in one transaction. */
export async function syncBook(
	{ core, provider, prices }: Omit<SyncContext, "merge" | "pause">,
	book: DueBook,
	signal: AbortSignal,
): Promise<void> {
	const chain = core.chains.byId(book.chainId);
	if (!chain) return;
	const { providerSlug } = book;
	const collection = { id: book.id, chainId: book.chainId, address: book.address };
	const askedAtMs = core.clock.nowMs();
	const call = { purpose: "background", signal } as const;
	const reading = { collection, pagesMax: BOOK_PAGES_MAX, prices, nowMs: askedAtMs };
	const listings = await readPages(
		(cursor) => provider.listings(providerSlug, { ...call, cursor, limit: PROVIDER_PAGE }),
		reading,
	);
	const offers = await readPages(
		(cursor) => provider.offers(providerSlug, { ...call, cursor, limit: PROVIDER_PAGE }),
		reading,
	);
	const stats = await provider.stats(providerSlug, call);
	if (!listings.isWhole || !offers.isWhole) {
		core.log.info("a book has more orders than are read", {
			chain: chain.slug,
			slug: providerSlug,
			listings: listings.rows.length,
			offers: offers.rows.length,
		});
	}
	const statsFloor = book.isShared ? null : (stats?.floor ?? null);
	const cost = (listings.pages + offers.pages) * BOOK_EVERY_PER_PAGE_MS;
	await core.db.transaction(async (tx) => {
		const read = { listings, offers, statsFloor, askedAtMs };
		await writeBook(tx, read, { core, prices, chain, collection });
		const dueAt = new Date(core.clock.nowMs() + Math.max(cost, BOOK_EVERY_MS));
		await tx.execute("update market_index.sync set orders_due_at = $2 where collection_id = $1", [
			book.id,
			dueAt,
		]);
		await core.queue.add(tx, [bookFloorsJob(book.id)]);
	});
}
