import type { Job } from "#core/schedule/Job.ts";
import { PRUNE_EVERY_MS, PRUNED_PER_STATEMENT_MAX } from "#plugins/market-index/orders/limits.ts";
import { sendOrderFrames } from "#plugins/market-index/orders/sendOrderFrames.ts";
import { settleBook } from "#plugins/market-index/orders/settleBook.ts";
import { deleteRetired } from "#plugins/market-index/orders/sql/deleteRetired.ts";
import { findExpired } from "#plugins/market-index/orders/sql/findExpired.ts";
import { lockBook } from "#plugins/market-index/orders/sql/lockBook.ts";
import { retireExpired } from "#plugins/market-index/orders/sql/retireExpired.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";

type Pruning = Pick<SyncContext, "core" | "prices">;

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
				if ((await deleteRetired(db, clock.nowMs())) < PRUNED_PER_STATEMENT_MAX) return;
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
