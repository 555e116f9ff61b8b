// Reads the first collections of an order: trending, top, new, minting, market.

import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import { HOUR_MS } from "#core/time.ts";
import { type LifecycleFilter, lifecycleFilterSql } from "#plugins/market-index/lifecycle.ts";
import {
	bucketOf,
	TIERS,
	WINDOW_MS,
	type Window,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import { type CollectionRow, collectionRows } from "#plugins/market-index/sql/collectionRows.ts";
import { busyDays, sumsSince } from "#plugins/market-index/sql/windowSums.ts";

/**
 * `trending`: accepted sales in the window. `top`: volume of all time. `new`: registered last.
 * `minting`: mints in the last hour, others are left out. `market`: volume in the window, without
 * collections that have neither sold nor a floor.
 */
export type CollectionOrder = "trending" | "top" | "new" | "minting" | "market";

type Ranking = {
	window: Window;
	nowMs: number;
	/** The first criterion of the order, descending. */
	by: "sales" | "volume" | "mints";
	/** Bound placeholders of the chains and the page's limit. */
	chains: string;
	limit: string;
	/** The condition on a collection `c`. */
	tracked: string;
};

type CollectionQuery = {
	chainIds: readonly number[];
	nowMs: number;
	window: Window;
	order: CollectionOrder;
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

/** A collection of a page, with the sums that choosing it has made; null where it made none. */
export type Picked = {
	id: number;
	sales: number | null;
	priced: number | null;
	volume: string;
	mints: number;
};

/** A collection with the figures that were read already; null for those still to be read. */
export type KnownFigures = {
	id: number;
	window: { sales: number; priced: number | null; volume: string } | null;
	mints1h: number | null;
};

/**
 * Returns the columns of a collection's row that orders by a window's figures need, to be read with
 * those figures.
 */
const orderingColumns = (row: string) =>
	`${row}.last_sale_at, ${row}.last_mint_at, ${row}.volume_class, ${row}.volume_native`;

const recency = (row: string) =>
	`${row}.last_sale_at desc nulls last, ${row}.last_mint_at desc nulls last, ${row}.id`;

const byVolume = (row: string) => `${row}.volume_class desc, ${row}.volume_native desc`;

const NEWEST = "c.registered_at desc, c.id desc";
const TOP = `${byVolume("c")}, c.sales desc, ${recency("c")}`;

/**
 * How each order sorts. `picked`: what `pickedCollections` picked, with the collection's row under
 * the given name, which may be `picked` itself where the order is by a window's figures. `rest`:
 * collections without trades in the window; each begins with the columns of an index
 * (`collection_last_sale`, `collection_volume`, `collection_newest`).
 */
const COLLECTION_ORDER = {
	trending: {
		picked: (row) => `picked.sales desc, picked.volume desc, ${recency(row)}`,
		rest: `c.last_sale_hour desc nulls last, ${recency("c")}`,
	},
	top: { picked: () => TOP, rest: TOP },
	new: { picked: () => NEWEST, rest: NEWEST },
	minting: {
		picked: (row) => `picked.mints desc, ${row}.last_mint_at desc nulls last, ${row}.id`,
		rest: null,
	},
	market: {
		picked: (row) => `picked.volume desc, ${byVolume(row)}, ${recency(row)}`,
		rest: `${byVolume("c")}, ${recency("c")}`,
	},
} satisfies Record<
	CollectionOrder,
	{ picked: (row: "c" | "picked") => string; rest: string | null }
>;

const [MINUTES, HOURS, DAYS] = TIERS;

const RANKED_BY = { trending: "sales", market: "volume", minting: "mints" } as const;

/** The sums that `pickedCollections` makes for each active collection. */
const SUMMED: Partial<Record<CollectionOrder, readonly ("window" | "mints1h")[]>> = {
	trending: ["window"],
	market: ["window"],
	minting: ["mints1h"],
};

/**
 * Returns the first collections of an order, with their figures: all of them, or the columns named.
 */
export async function listCollections<Column extends keyof CollectionRow = keyof CollectionRow>(
	db: Queryable,
	query: CollectionQuery & { columns?: readonly Column[] },
): Promise<Pick<CollectionRow, Column>[]> {
	const binder = createBinder();
	const text = collectionRows(binder, {
		picked: pickedCollections(binder, query),
		nowMs: query.nowMs,
		window: query.window,
		orderBy: COLLECTION_ORDER[query.order].picked("c"),
		columns: query.columns,
		summed: SUMMED[query.order],
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
}

/**
 * Picks the first collections of an order by a window's figures, for an answer with several orders:
 * most collections are in more than one, so their rows are read together afterwards. `minting` sums
 * up the last hour, the others the given window.
 */
export async function pickCollections(
	db: Queryable,
	query: CollectionQuery & { order: "trending" | "market" | "minting" },
): Promise<Picked[]> {
	const binder = createBinder();
	return db.query<Picked>(
		`${pickedCollections(binder, query)}
		select picked.id, picked.sales::int8 as sales, picked.priced::int8 as priced, picked.volume,
			picked.mints::int8 as mints
		from picked order by ${COLLECTION_ORDER[query.order].picked("picked")}`,
		binder.values,
	);
}

/**
 * Returns the first collections of an order, as CTEs; the last one is `picked (id)`, and where the
 * order is by a window's figures it has these too: `sales` and `priced` (null where they were not
 * summed up), `volume`, `mints`, and what the order needs of the collection's row, so that it is
 * not read again for each sort.
 *
 * `activeCollections` finds those active in the window; only when they do not fill the page are
 * others read, in the order of their own rows.
 */
function pickedCollections(binder: Binder, query: CollectionQuery): string {
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

/**
 * Returns the collections that may be among a page's first, as CTEs; the last, `active`, has their
 * exact figures in the window: `id`, `sales`, `priced`, `volume`, `mints`, and `orderingColumns`.
 * Where the order is by mints, only those are summed up.
 *
 * Summing up a day of every collection costs fifteen times more on a busy chain than on a quiet
 * one. So whole buckets of a coarse tier give each collection's minimum and maximum (`bound`). The
 * first page of those is summed exactly (`seed`); a collection whose maximum is below the least of
 * theirs (`least`) cannot be on the page, and is not read. On a page that is not full every active
 * collection is.
 */
function activeCollections(binder: Binder, ranking: Ranking): string {
	const { window, nowMs, by, chains, limit, tracked } = ranking;
	const tier = boundTier(ranking);
	const fromMs = bucketOf(window.start.getTime(), tier.ms);
	const from = binder.bind(new Date(fromMs), "timestamptz");
	const bound =
		by !== "mints" && tier === DAYS
			? busyDays({ by, chains, limit, from, days: daysIn(window, nowMs) })
			: { ctes: wholeTier({ table: tier.table, by, chains, from }), missing: null };
	// Their limits keep these laterals loops over primary keys, in the order of what comes before.
	const isTracked = `cross join lateral (
				select ${orderingColumns("c")} from market_index.collection as c
				where c.id = most.id and ${tracked} limit 1
			) as c`;
	const sums =
		by === "mints" && tier === HOURS
			? mintsSince(binder, { window, fromMs })
			: `select coalesce(sum(sales), 0) as sales, coalesce(sum(priced), 0) as priced,
					coalesce(sum(volume), 0) as volume, coalesce(sum(mints), 0) as mints
				from (${sumsSince(binder, window, "most.id")}) as part`;
	const exactly = `cross join lateral (${sums}) as exact`;
	return `${bound.ctes}, seed as materialized (
			select most.id, exact.*, ${orderingColumns("most")} from (
				select most.id, most.known, ${orderingColumns("c")}
				from (select * from bound order by known desc) as most ${isTracked}
				order by most.known desc limit ${limit}
			) as most ${exactly}
		), least as materialized (
			select case when count(*) < ${limit} then 0 else min(${by}) end as amount from seed
		), active as materialized (
			select * from seed where ${by} > 0
			union all
			select most.id, exact.*, ${orderingColumns("c")} from (
				select id, known from bound
				where most >= (select amount from least) and id not in (select id from seed)
				${bound.missing === null ? "" : `union all ${bound.missing}`}
			) as most ${isTracked} ${exactly}
			where exact.${by} > 0
		)`;
}

/** Reads the rows of collections that `pickCollections` chose, in any order. */
export async function readPicked<Column extends keyof CollectionRow>(
	db: Queryable,
	query: {
		picked: readonly KnownFigures[];
		nowMs: number;
		window: Window;
		columns: readonly Column[];
	},
): Promise<Pick<CollectionRow, Column>[]> {
	const { picked, ...options } = query;
	const binder = createBinder();
	const ids = binder.bind(
		picked.map(({ id }) => id),
		"int4[]",
	);
	const sales = binder.bind(
		picked.map(({ window }) => window?.sales ?? null),
		"int8[]",
	);
	const priced = binder.bind(
		picked.map(({ window }) => window?.priced ?? null),
		"int8[]",
	);
	const volume = binder.bind(
		picked.map(({ window }) => window?.volume ?? null),
		"numeric[]",
	);
	const mints = binder.bind(
		picked.map(({ mints1h }) => mints1h),
		"int8[]",
	);
	const text = collectionRows(binder, {
		...options,
		picked: `with picked as (
			select * from unnest(${ids}, ${sales}, ${priced}, ${volume}, ${mints})
				as given (id, sales, priced, volume, mints)
		)`,
		orderBy: "c.id",
		summed: ["window", "mints1h"],
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
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

function boundTier({ window, nowMs }: Ranking): (typeof TIERS)[number] {
	const lengthMs = nowMs - window.start.getTime();
	if (lengthMs < HOUR_MS) return MINUTES;
	return lengthMs < 12 * HOUR_MS ? HOURS : DAYS;
}

/** Returns the number of days (UTC) that a window touches. */
function daysIn(window: Window, nowMs: number): number {
	const fromMs = bucketOf(window.start.getTime(), DAYS.ms);
	return (bucketOf(nowMs, DAYS.ms) - fromMs) / DAYS.ms + 1;
}

/** Returns SQL for every collection of a tier, by `rollup_*_recent`: one to thirteen rows each. */
function wholeTier(given: { table: string; by: string; chains: string; from: string }): string {
	const { table, by, chains, from } = given;
	return `bound as materialized (
			select rollup.collection_id as id, sum(rollup.${by}) as known, sum(rollup.${by}) as most
			from market_index.${table} as rollup
			where rollup.chain_id = any(${chains}) and rollup.bucket >= ${from} and rollup.${by} > 0
			group by rollup.collection_id
		)`;
}

/**
 * Returns SQL for the mints of `most.id` in a window, of which `most.known` are those of its whole
 * hours: the minutes before the window are subtracted. Half of what `sumsSince` reads.
 */
function mintsSince(binder: Binder, given: { window: Window; fromMs: number }): string {
	const minutes: Date[] = [];
	for (let atMs = given.fromMs; atMs < given.window.start.getTime(); atMs += MINUTES.ms) {
		minutes.push(new Date(atMs));
	}
	return `select null::int8 as sales, null::int8 as priced, 0::numeric as volume,
				most.known - coalesce(sum(mints), 0) as mints
			from market_index.${MINUTES.table}
			where collection_id = most.id and bucket = any(${binder.bind(minutes, "timestamptz[]")})`;
}
