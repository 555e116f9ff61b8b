import type { Queryable } from "#core/db/Database.ts";
import {
	type LifecycleFilter,
	lifecycleFilterSql,
} from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import { WINDOW_MS, type Window, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { type Binder, createBinder } from "#plugins/market-index/sql/Binder.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import { rollupsSince } from "#plugins/market-index/sql/rollupsSince.ts";

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

const ORDER_BY: Record<CollectionOrder, string> = {
	trending: `picked.sales desc, picked.volume desc, ${RECENCY}`,
	top: `c.volume_native desc, c.sales desc, ${RECENCY}`,
	new: "c.registered_at desc, c.id desc",
	minting: "picked.mints desc, c.last_mint_at desc nulls last, c.id",
	market: `picked.volume desc, c.volume_native desc, ${RECENCY}`,
};

/**
 * The first collections of an order, with their figures.
 *
 * Those active in the window come from the rollups (indexes `rollup_*_recent`, a tier each); only
 * when they do not fill the page are the chain's other collections sorted, and then by facts of
 * their own rows. `new` reads `collection_newest`.
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
	const conditions = [`c.chain_id = any(${chains})`, "not c.excluded"];
	if (lifecycle !== undefined) {
		const now = binder.bind(new Date(nowMs), "timestamptz");
		conditions.push(lifecycleFilterSql(lifecycle, now));
	}
	if (order === "market") conditions.push("(c.sales > 0 or c.floor_native > 0)");
	const tracked = conditions.join(" and ");
	if (order === "top" || order === "new") {
		return `with picked as (
			select c.id from market_index.collection as c
			where ${tracked} order by ${ORDER_BY[order]} limit ${limit}
		)`;
	}
	const window = order === "minting" ? windowOf(nowMs, WINDOW_MS["1h"]) : query.window;
	const active = activeIn(binder, {
		window,
		chains,
		counted: order === "minting" ? "mints" : "sales",
	});
	const first = `select c.id, picked.sales, picked.volume, picked.mints
		from active as picked join market_index.collection as c on c.id = picked.id
		where ${tracked} order by ${ORDER_BY[order]} limit ${limit}`;
	if (order === "minting") return `with ${active}, picked as (${first})`;
	// A limit of 0 is never executed: a full page costs nothing beyond the active collections.
	return `with ${active}, first as (${first}), rest as (
			select c.id, 0 as sales, 0 as volume, 0 as mints
			from (select 0 as sales, 0 as volume) as picked, market_index.collection as c
			where ${tracked} and not exists (select from active where active.id = c.id)
			order by ${ORDER_BY[order]}
			limit ${limit} - (select count(*) from first)
		), picked as (select * from first union all select * from rest)`;
}

function activeIn(
	binder: Binder,
	options: { window: Window; chains: string; counted: "sales" | "mints" },
): string {
	const ofChains = `rollup.chain_id = any(${options.chains})`;
	return `active as (
			select collection_id as id, sum(sales) as sales, sum(volume) as volume,
				sum(mints) as mints
			from (${rollupsSince(binder, options.window, ofChains)}) as rollup
			group by collection_id having sum(${options.counted}) > 0
		)`;
}
