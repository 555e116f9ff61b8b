import { Fault } from "#core/fault/Fault.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	BOOK_CONCURRENCY,
	BOOK_TICK_MS,
	BOOK_TIMEOUT_MS,
} from "#plugins/market-index/orders/limits.ts";
import { claimBook } from "#plugins/market-index/orders/sql/claimBook.ts";
import { syncBook } from "#plugins/market-index/orders/syncBook.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";

/**
 * Makes a job that keeps the order books of watched collections current, and of no others. Books
 * are claimed in the database, so every process can take its share; the first limit ends the tick
 * of all of them.
 */
export function bookJob(context: Omit<SyncContext, "merge">): Job {
	const { core, provider, pause } = context;
	return {
		name: "market-index.order-books",
		schedule: { everyMs: BOOK_TICK_MS },
		lock: "process",
		timeoutMs: BOOK_TIMEOUT_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			await Promise.all(Array.from({ length: BOOK_CONCURRENCY }, () => work(signal)));
		},
	};

	async function work(signal: AbortSignal): Promise<void> {
		const chainIds = core.indexed.map(({ chain }) => chain.id);
		while (!signal.aborted && pause.leftMs() === 0) {
			const nowMs = core.clock.nowMs();
			const book = await claimBook(core.db, { chainIds, nowMs, claimMs: BOOK_TIMEOUT_MS });
			if (!book) return;
			try {
				await syncBook(context, book, signal);
			} catch (error) {
				// It is claimed for a while already, and is tried again after that.
				if (pause.note(error) || signal.aborted) return;
				// The adapter logs what the provider did, once for all books.
				const level = error instanceof Fault ? "debug" : "warn";
				core.log[level]("an order book was not read", { slug: book.providerSlug, error });
			}
		}
	}
}
