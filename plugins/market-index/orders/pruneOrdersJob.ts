import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { PRUNE_EVERY_MS, PRUNED_PER_STATEMENT_MAX } from "#plugins/market-index/orders/limits.ts";
import { pruneOrders } from "#plugins/market-index/orders/sql/pruneOrders.ts";

/** Retires orders whose time is over, and forgets retired ones after a week. */
export function pruneOrdersJob({ db, clock }: Pick<Core, "db" | "clock">): Job {
	return {
		name: "market-index.prune-orders",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: PRUNE_EVERY_MS,
		async run({ signal }) {
			while (!signal.aborted) {
				if ((await pruneOrders(db, clock.nowMs())) < PRUNED_PER_STATEMENT_MAX) return;
			}
		},
	};
}
