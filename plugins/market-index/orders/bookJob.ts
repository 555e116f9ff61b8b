// Keeps watched order books current, and retires expired orders.

import { Fault } from "#core/fault.ts";
import type { Job } from "#core/schedule.ts";
import {
	BOOK_CONCURRENCY,
	BOOK_EVERY_MS,
	BOOK_EVERY_PER_PAGE_MS,
	BOOK_PAGES_MAX,
	BOOK_TICK_MS,
	BOOK_TIMEOUT_MS,
	PRUNE_EVERY_MS,
	PRUNED_PER_STATEMENT_MAX,
	URGENT_TICK_MS,
} from "#plugins/market-index/orders/OrderRow.ts";
import { settleBook } from "#plugins/market-index/orders/pushes.ts";
import { readBook } from "#plugins/market-index/orders/readBook.ts";
import { claimBook, type DueBook, lockBook } from "#plugins/market-index/orders/sql/books.ts";
import {
	deleteRetired,
	findExpired,
	retireExpired,
} from "#plugins/market-index/orders/sql/orders.ts";
import { sendOrderFrames, writeBook } from "#plugins/market-index/orders/writeBook.ts";
import type { SyncContext } from "#plugins/market-index/pace.ts";
import { bookFloorsJob } from "#plugins/market-index/tokens/tokenJobs.ts";

type Pruning = Pick<SyncContext, "core" | "prices">;

/**
 * Makes the jobs that keep the order books of watched collections current, and of no others. Books
 * are claimed in the database, so every process can take its share; the first limit ends the tick
 * of all of them. Books that plans are about to buy from have a job of their own, which no pause of
 * the background holds up.
 */
export function bookJobs(context: Omit<SyncContext, "merge">): Job[] {
	const { core, provider, pause } = context;
	const timing = { lock: "process", timeoutMs: BOOK_TIMEOUT_MS } as const;
	return [
		{
			...{ name: "market-index.order-books", schedule: { everyMs: BOOK_TICK_MS }, ...timing },
			async run({ signal }) {
				if (!provider.isOn) return;
				const works = Array.from({ length: BOOK_CONCURRENCY }, () => work(signal, false));
				await Promise.all(works);
			},
		},
		{
			...{ name: "market-index.urgent-books", schedule: { everyMs: URGENT_TICK_MS }, ...timing },
			async run({ signal }) {
				if (provider.isOn) await work(signal, true);
			},
		},
	];

	async function work(signal: AbortSignal, isUrgentOnly: boolean): Promise<void> {
		const chainIds = core.indexed.map(({ chain }) => chain.id);
		while (!signal.aborted && (isUrgentOnly || pause.leftMs() === 0)) {
			const nowMs = core.clock.nowMs();
			const claim = { chainIds, nowMs, claimMs: BOOK_TIMEOUT_MS, isUrgentOnly };
			const book = await claimBook(core.db, claim);
			if (!book) return;
			try {
				await syncBook(context, book, signal);
			} catch (error) {
				// It is claimed for a while already, and is tried again after that. Calls that are kept for
				// plans are used up before others: nobody else pauses for them.
				if (book.isUrgent || pause.note(error) || signal.aborted) return;
				// The adapter logs what the provider did, once for all books.
				const level = error instanceof Fault ? "debug" : "warn";
				core.log[level]("an order book was not read", { slug: book.providerSlug, error });
			}
		}
	}
}

/**
 * Reads a book from the provider, and then writes what arrived in one transaction. Then throws the
 * fault that stopped it, if any; the next turn continues from there. Otherwise a book with more
 * pages than a minute has calls would never be read to its end.
 */
async function syncBook(
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

/** Makes a job that retires expired orders, and deletes retired ones after a week. */
export function pruneOrdersJob(context: Pruning): Job {
	const { db, clock } = context.core;
	return {
		name: "market-index.prune-orders",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: PRUNE_EVERY_MS,
		async run({ signal }) {
			for (const id of await findExpired(db, clock.nowMs())) {
				if (signal.aborted) return;
				await endOrders(context, id);
			}
			while (!signal.aborted) {
				if ((await deleteRetired(db)) < PRUNED_PER_STATEMENT_MAX) return;
			}
		},
	};
}

/** Retires a collection's expired orders. Though only time passed, figures and streams follow. */
async function endOrders({ core, prices }: Pruning, collectionId: number): Promise<void> {
	const nowMs = core.clock.nowMs();
	await core.db.transaction(async (tx) => {
		const book = await lockBook(tx, { collectionId });
		const ended = await retireExpired(tx, { collectionId, nowMs });
		const chain = book && core.chains.byId(book.chainId);
		if (!book || !chain || ended.length === 0) return;
		const lost = ended.flatMap(({ askNative }) => askNative ?? []);
		await settleBook(tx, { core, prices }, { chain, book, lost, nowMs });
		const changed = ended.map(({ orderHash }) => orderHash);
		const { outbox } = core;
		await sendOrderFrames(tx, { chain, collection: book, changed, outbox, prices, nowMs });
	});
}
