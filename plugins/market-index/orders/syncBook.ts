import {
	BOOK_EVERY_MS,
	BOOK_EVERY_PER_PAGE_MS,
	BOOK_PAGES_MAX,
	BOOK_TICK_MS,
} from "#plugins/market-index/orders/limits.ts";
import { readBook } from "#plugins/market-index/orders/readBook.ts";
import type { DueBook } from "#plugins/market-index/orders/sql/claimBook.ts";
import { writeBook } from "#plugins/market-index/orders/writeBook.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { bookFloorsJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Reads a book from the provider, and then writes what arrived in one transaction. Then throws the
 * fault that stopped it, if any; the next turn continues from there. Otherwise a book with more
 * pages than a minute has calls would never be read to its end.
 */
export async function syncBook(
	context: Omit<SyncContext, "merge" | "pause">,
	book: DueBook,
	signal: AbortSignal,
): Promise<void> {
	const { core, prices } = context;
	const chain = core.chains.byId(book.chainId);
	if (!chain) return;
	const collection = { id: book.id, chainId: book.chainId, address: book.address };
	const read = await readBook(context, book, signal);
	const { reading, pages, pagesInAll, failure, progress } = read;
	if (failure && pages === 0) throw failure;
	const { listings, offers } = reading;
	if (pagesInAll >= BOOK_PAGES_MAX && !failure && !(listings.isWhole && offers.isWhole)) {
		core.log.info("a book has more orders than are read", {
			chain: chain.slug,
			slug: book.providerSlug,
			listings: listings.rows.length,
			offers: offers.rows.length,
		});
	}
	await core.db.transaction(async (tx) => {
		await writeBook(tx, reading, { core, prices, chain, collection });
		const rarer = Math.max(pagesInAll * BOOK_EVERY_PER_PAGE_MS, BOOK_EVERY_MS);
		const dueAt = new Date(core.clock.nowMs() + (progress ? BOOK_TICK_MS : rarer));
		await tx.execute(
			`update market_index.sync set orders_due_at = $2, book_progress = $3::jsonb
			where collection_id = $1`,
			[book.id, dueAt, progress && JSON.stringify(progress)],
		);
		// Unread listings say nothing about any floor.
		if (listings.isWhole || listings.rows.length > 0) {
			await core.queue.add(tx, [bookFloorsJob(book.id)]);
		}
	});
	if (failure) throw failure;
}
