import {
	type LifecycleFilter,
	lifecycleFilterSql,
} from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import { WINDOW_MS, type Window, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import { activeCollections } from "#plugins/market-index/sql/activeCollections.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";
import {
	COLLECTION_ORDER,
	type CollectionOrder,
	orderingColumns,
} from "#plugins/market-index/sql/collectionOrder.ts";

export type CollectionQuery = {
	chainIds: readonly number[];
	nowMs: number;
	window: Window;
	order: CollectionOrder;
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

/**
 * Returns the first collections of an order, as CTEs; the last one is `picked (id)`, and where the
 * order is by a window's figures it has these too: `sales` and `priced` (null where they were not
 * summed up), `volume`, `mints`, and what the order needs of the collection's row, so that it is
 * not read again for each sort.
 *
 * `activeCollections` finds those active in the window; only when they do not fill the page are
 * others read, in the order of their own rows.
 */
export function pickedCollections(binder: Binder, query: CollectionQuery): string {
	const { order, lifecycle, nowMs } = query;
	const chains = binder.bind(query.chainIds, "int8[]");
	const limit = binder.bind(query.limit, "int8");
	const conditions = ["not c.excluded"];
	if (lifecycle !== undefined) {
		const now = binder.bind(new Date(nowMs), "timestamptz");
		conditions.push(lifecycleFilterSql(lifecycle, now));
	}
	if (order === "market") conditions.push("(c.sales > 0 or c.floor_native > 0)");
	const tracked = conditions.join(" and ");
	if (order === "top" || order === "new") {
		return `with picked as (${inOwnOrder({ order, chains, tracked, limit })})`;
	}
	const active = activeCollections(binder, {
		window: order === "minting" ? windowOf(nowMs, WINDOW_MS["1h"]) : query.window,
		nowMs,
		by: RANKED_BY[order],
		chains,
		limit,
		tracked,
	});
	const first = `select picked.* from active as picked
		order by ${COLLECTION_ORDER[order].picked("picked")} limit ${limit}`;
	if (order === "minting") return `with ${active}, picked as (${first})`;
	const rest = inOwnOrder({
		order,
		chains,
		tracked: `${tracked} and c.id not in (select id from active)`,
		// A limit of 0 is never executed: a full page costs nothing beyond the active collections.
		limit: `${limit} - (select count(*) from first)`,
	});
	// Without a sale there is no volume; without a volume there may be sales without a price.
	const sales = order === "trending" ? "0" : "null";
	return `with ${active}, first as (${first}), rest as (${rest}), picked as (
			select * from first
			union all select c.id, ${sales}, ${sales}, 0, 0, ${orderingColumns("c")} from rest as c
		)`;
}

/** Returns SQL for collections by their own rows, each chain by its index and then merged. */
function inOwnOrder(given: {
	order: Exclude<CollectionOrder, "minting">;
	chains: string;
	tracked: string;
	limit: string;
}): string {
	const orderBy = COLLECTION_ORDER[given.order].rest;
	return `select c.id, ${orderingColumns("c")} from unnest(${given.chains}) as chain (id)
			cross join lateral (
				select * from market_index.collection as c
				where c.chain_id = chain.id and ${given.tracked}
				order by ${orderBy} limit ${given.limit}
			) as c
			order by ${orderBy} limit ${given.limit}`;
}

const RANKED_BY = { trending: "sales", market: "volume", minting: "mints" } as const;
