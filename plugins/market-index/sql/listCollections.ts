import type { Queryable } from "#core/db/Database.ts";
import {
	type LifecycleFilter,
	lifecycleFilterSql,
} from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import { WINDOW_MS, type Window, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { activeCollections } from "#plugins/market-index/sql/activeCollections.ts";
import { type Binder, createBinder } from "#plugins/market-index/sql/Binder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import { rowOf } from "#plugins/market-index/sql/rowOf.ts";

/**
 * `trending`: accepted sales in the window. `top`: volume of all time. `new`: registered last.
 * `minting`: mints in the last hour, others are left out. `market`: volume in the window, without
 * collections that have neither sold nor a floor.
 */
export type CollectionOrder = "trending" | "top" | "new" | "minting" | "market";

export type CollectionQuery = {
	chainIds: readonly number[];
	nowMs: number;
	window: Window;
	order: CollectionOrder;
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

const RECENCY = "c.last_sale_at desc nulls last, c.last_mint_at desc nulls last, c.id";

const BY_VOLUME = "c.volume_class desc, c.volume_native desc";

const ORDER_BY: Record<CollectionOrder, string> = {
	trending: `picked.sales desc, picked.volume desc, ${RECENCY}`,
	top: `${BY_VOLUME}, c.sales desc, ${RECENCY}`,
	new: "c.registered_at desc, c.id desc",
	minting: "picked.mints desc, c.last_mint_at desc nulls last, c.id",
	market: `picked.volume desc, ${BY_VOLUME}, ${RECENCY}`,
};

/**
 * The same orders among collections that have nothing in the window. Each begins with the columns
 * of an index: `collection_last_sale`, `collection_volume`, `collection_newest`.
 */
const OWN_ORDER_BY = {
	trending: `c.last_sale_hour desc nulls last, ${RECENCY}`,
	top: ORDER_BY.top,
	new: ORDER_BY.new,
	market: `${BY_VOLUME}, ${RECENCY}`,
} as const;

/**
 * The first collections of an order, with their figures.
 *
 * `activeCollections` finds those active in the window; only when they do not fill the page are
 * others looked at, in the order of their own rows.
 */
export async function listCollections(
	db: Queryable,
	query: CollectionQuery,
): Promise<CollectionRow[]> {
	const binder = createBinder();
	const text = collectionRows(binder, {
		picked: pickedBy(binder, query),
		nowMs: query.nowMs,
		window: query.window,
		orderBy: ORDER_BY[query.order],
	});
	return db.query<CollectionRow>(text, binder.values);
}

function pickedBy(binder: Binder, query: CollectionQuery): string {
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
		${rowOf("picked.id")} order by ${ORDER_BY[order]} limit ${limit}`;
	if (order === "minting") return `with ${active}, picked as (${first})`;
	const rest = inOwnOrder({
		order,
		chains,
		tracked: `${tracked} and c.id not in (select id from active)`,
		// A limit of 0 is never executed: a full page costs nothing beyond the active collections.
		limit: `${limit} - (select count(*) from first)`,
	});
	return `with ${active}, first as (${first}), rest as (${rest}), picked as (
			select * from first union all select id, 0, 0, 0 from rest
		)`;
}

/** Collections by their own rows, each chain by its index and then merged. */
function inOwnOrder(given: {
	order: keyof typeof OWN_ORDER_BY;
	chains: string;
	tracked: string;
	limit: string;
}): string {
	const orderBy = OWN_ORDER_BY[given.order];
	return `select c.id from unnest(${given.chains}) as chain (id)
			cross join lateral (
				select * from market_index.collection as c
				where c.chain_id = chain.id and ${given.tracked}
				order by ${orderBy} limit ${given.limit}
			) as c
			order by ${orderBy} limit ${given.limit}`;
}

const RANKED_BY = { trending: "sales", market: "volume", minting: "mints" } as const;
