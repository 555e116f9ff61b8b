// Reads collections' rows, with the figures of a window, in the columns that are asked for.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import { DAY_MS } from "#core/time.ts";
import { announcedSql, tradedSql } from "#plugins/market-index/lifecycle.ts";
import { WINDOW_MS, type Window, windowOf } from "#plugins/market-index/rollup/windows.ts";
import { sumsSince } from "#plugins/market-index/sql/windowSums.ts";

/** A collection as it is stored, with the figures of one window and of the last hour's mints. */
export type CollectionRow = {
	id: number;
	chainId: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	syncStatus: string;
	lastProviderAt: Date | null;
	revealState: string;
	revealCheckedAt: Date | null;
	revealedAt: Date | null;
	ownersCount: number | null;
	/** The source of the owners, the best one; null without any. */
	ownersSource: "walk" | "provider" | "recipients" | null;
	/** The time when provider or job counted them; null for a walk, which is kept current. */
	ownersAt: Date | null;
	listedCount: number | null;
	listedAt: Date | null;
	floorNative: string | null;
	floorAt: Date | null;
	/** True: the provider knows owners or a floor of it. */
	isTraded: boolean;
	/** True: a mint was announced that is not over; only read where nothing happened yet. */
	isAnnounced: boolean;
	floorUsd: number | null;
	/** The floor of a day ago, or of the nearest known time before that. */
	floorBefore: string | null;
	maxSupply: string | null;
	totalSupply: string | null;
	supplySource: "walk" | "chain" | "provider" | null;
	supplyAt: Date | null;
	/** True where supplies are those of a finished walk. */
	isWalked: boolean;
	/** Units minted in all: by a finished walk, else those that the index saw. */
	mintedSupply: string;
	mintedUnits: string;
	firstMintAt: Date | null;
	lastMintAt: Date | null;
	lastMintTotalRaw: string | null;
	lastMintQuantity: string | null;
	/** Null for the chain's coin. */
	lastMintCurrency: Address | null;
	sales: number;
	lastSaleAt: Date | null;
	lastSaleTokenId: string | null;
	lastSaleUnitNative: string | null;
	lastSaleTransaction: Hex | null;
	/** In the window: accepted sales, those of them with a price, and the volume of these. */
	windowSales: number;
	windowPriced: number;
	windowVolume: string;
	/** The time for which all of the provider's events are stored; null where it was never asked. */
	eventsFrom: Date | null;
	eventsUntil: Date | null;
	/** The time for which a reading under way has brought the provider's events so far. */
	walkFrom: Date | null;
	walkUntil: Date | null;
	/** Sales in the day before `providerStatsAt`, as the provider's stats count them. */
	providerSalesDay: number | null;
	providerStatsAt: Date | null;
	mints1h: number;
	/** Since when sales are not judged by the rules of wash trades; null: all were. */
	washFrom: Date | null;
};

export type CollectionColumn = keyof CollectionRow;

type CollectionRowsOptions = {
	picked: string;
	nowMs: number;
	window?: Window;
	orderBy: string;
	/** The columns to read of each collection; all of them unless given. */
	columns?: readonly CollectionColumn[] | undefined;
	/**
	 * Sums that choosing the collections has already made, so that they are not made again: the
	 * window's figures as `picked (sales, priced, volume)`, the last hour's as `picked (mints)`; null
	 * where they were not made.
	 */
	summed?: readonly ("window" | "mints1h")[] | undefined;
};

/**
 * Holds how each column of a collection's row is read: from the collection `c`, and from joined
 * tables under the names before the dots. `now` is bound.
 */
const COLUMNS: Record<CollectionColumn, string | ((now: string) => string)> = {
	id: "c.id",
	chainId: "c.chain_id",
	address: `'0x' || encode(c.address, 'hex')`,
	slug: "c.slug",
	name: "c.name",
	imageUrl: "c.image_url",
	syncStatus: "c.sync_status",
	lastProviderAt: "c.last_provider_at",
	revealState: "c.reveal_state",
	revealCheckedAt: "c.reveal_checked_at",
	revealedAt: "c.revealed_at",
	ownersCount: "coalesce(o.owners, nullif(c.provider_owners, 0), r.recipients)",
	ownersSource: `case when o.owners is not null then 'walk' when c.provider_owners > 0 then
		'provider' when r.recipients is not null then 'recipients' end`,
	ownersAt: `case when o.owners is not null then null when c.provider_owners > 0 then
		c.provider_owners_at else r.counted_at end`,
	listedCount: "c.listed_count",
	listedAt: "greatest(c.listed_at, s.orders_at)",
	floorNative: "c.floor_native",
	floorAt: "c.floor_at",
	isTraded: tradedSql,
	isAnnounced: (now) => `case when c.first_mint_at is null and c.sales = 0 then ${announcedSql(now)}
		else false end`,
	floorUsd: "c.floor_usd",
	floorBefore: "floor_before.floor_native",
	maxSupply: "c.max_supply",
	totalSupply: `case when o.owners is not null then greatest(o.minted - o.burned, 0) when
		coalesce(c.total_supply, c.provider_supply) is null or c.mints =
		c.supply_mints then coalesce(c.total_supply, c.provider_supply) else
		greatest(coalesce(c.total_supply, c.provider_supply), c.minted_units) end`,
	supplySource: `case when o.owners is not null then 'walk' when c.total_supply is not null
		then 'chain' when c.provider_supply is not null then 'provider' end`,
	supplyAt: `case when c.total_supply is not null then c.supply_at else
		c.provider_supply_at end`,
	isWalked: "o.owners is not null",
	mintedSupply: "coalesce(o.minted, c.minted_units)",
	mintedUnits: "c.minted_units",
	firstMintAt: "c.first_mint_at",
	lastMintAt: "c.last_mint_at",
	lastMintTotalRaw: "c.last_mint_total_raw",
	lastMintQuantity: "c.last_mint_quantity",
	lastMintCurrency: "'0x' || encode(c.last_mint_currency, 'hex')",
	sales: "c.sales",
	lastSaleAt: "c.last_sale_at",
	lastSaleTokenId: "c.last_sale_token_id",
	lastSaleUnitNative: "c.last_sale_unit_native",
	lastSaleTransaction: `'0x' || encode(c.last_sale_transaction, 'hex')`,
	eventsFrom: "s.events_from",
	eventsUntil: "s.events_until",
	walkFrom: "greatest(s.walk_reached, s.walk_hole + interval '1 second')",
	walkUntil: "s.walk_until",
	providerSalesDay: "c.provider_sales_day",
	providerStatsAt: "c.provider_stats_at",
	windowSales: "f.sales",
	windowPriced: "f.priced",
	windowVolume: "f.volume",
	mints1h: "m.mints",
	washFrom: "c.wash_from",
};

export const ALL_COLUMNS = Object.keys(COLUMNS) as CollectionColumn[];

/** A walk counts once it is done. For one without a mint the contract emits no usable logs. */
const OWNERS = `left join market_index.ownership as o on o.collection_id = picked.id
			and o.next_block > o.end_block and o.minted > 0
		left join market_index.recipients as r on r.collection_id = picked.id`;

const SYNC = "left join market_index.sync as s on s.collection_id = picked.id";

/**
 * Returns the rest of a statement whose `picked (id)` chose collections: each one's row and
 * figures. They are read by the rollups' primary keys for the picked ones only. Tables without a
 * wanted column are not joined.
 */
export function collectionRows(binder: Binder, options: CollectionRowsOptions): string {
	const { picked, orderBy, nowMs, columns = ALL_COLUMNS } = options;
	const select = (name: CollectionColumn) => {
		const column = COLUMNS[name];
		if (typeof column === "string") return `${column} as "${name}"`;
		return `${column(binder.bind(new Date(nowMs), "timestamptz"))} as "${name}"`;
	};
	const selected = columns.map(select).join(",\n\t\t\t");
	const joins = joinsOf(binder, options).filter(({ alias }) => alias.test(selected));
	return `${picked}
		select ${selected}
		from picked
		${joinCollection("picked.id")}
		${joins.map(({ sql }) => sql()).join("\n\t\t")}
		order by ${orderBy}`;
}

/**
 * Returns one collection with its figures of a window, the last 24 hours by default, by primary
 * key. A single id and no list, so that PostgreSQL keeps the plan.
 */
export async function readCollection<Column extends CollectionColumn = CollectionColumn>(
	db: Queryable,
	collectionId: number,
	{ nowMs, ...options }: { nowMs: number; window?: Window; columns?: readonly Column[] },
): Promise<Pick<CollectionRow, Column> | null> {
	const binder = createBinder();
	const id = binder.bind(collectionId, "int4");
	const text = collectionRows(binder, {
		picked: `with picked as (select ${id} as id)`,
		nowMs,
		orderBy: "c.id",
		...options,
	});
	const rows = await db.query<Pick<CollectionRow, Column>>(text, binder.values);
	return rows[0] ?? null;
}

/** Returns these collections in the order of the given ids, with their figures of the window. */
export async function readCollections<Column extends keyof CollectionRow = keyof CollectionRow>(
	db: Queryable,
	query: {
		collectionIds: readonly number[];
		nowMs: number;
		window: Window;
		columns?: readonly Column[];
	},
): Promise<Pick<CollectionRow, Column>[]> {
	if (query.collectionIds.length === 0) return [];
	const binder = createBinder();
	const ids = binder.bind(query.collectionIds, "int4[]");
	const text = collectionRows(binder, {
		picked: `with picked as (
			select id, place from unnest(${ids}) with ordinality as given (id, place)
		)`,
		nowMs: query.nowMs,
		window: query.window,
		orderBy: "picked.place",
		columns: query.columns,
	});
	return db.query<Pick<CollectionRow, Column>>(text, binder.values);
}

/**
 * Joins the collection `c` with `floor_before`: its floor of 24 hours ago, or of the nearest stored
 * time before that. One step down the primary key of `floor_snapshot`, and none at all for a
 * collection without a floor.
 */
function floorBefore(binder: Binder, nowMs: number): string {
	const dayAgo = binder.bind(new Date(nowMs - DAY_MS), "timestamptz");
	return `left join lateral (
			select s.floor_native from market_index.floor_snapshot as s
			where c.floor_native is not null and s.collection_id = c.id and s.at <= ${dayAgo}
			order by s.at desc limit 1
		) as floor_before on true`;
}

/**
 * Returns SQL that joins the collection `c` with an id, by primary key. Its limit keeps the planner
 * from reading the whole table for a page of it, which it prefers while there are few collections.
 */
function joinCollection(collectionId: string): string {
	return `cross join lateral (
			select * from market_index.collection as c where c.id = ${collectionId} limit 1
		) as c`;
}

/** Returns the joins, which bind their parameters only where they are needed. */
function joinsOf(binder: Binder, { nowMs, summed = [], ...options }: CollectionRowsOptions) {
	const window = options.window ?? windowOf(nowMs, WINDOW_MS["24h"]);
	const hour = windowOf(nowMs, WINDOW_MS["1h"]);
	const isSummed = summed.includes("window");
	const isCounted = summed.includes("mints1h");
	return [
		{ alias: /\b[or]\./, sql: () => OWNERS },
		{ alias: /\bs\./, sql: () => SYNC },
		{ alias: /\bfloor_before\./, sql: () => floorBefore(binder, nowMs) },
		{
			alias: /\bf\./,
			sql: () => `cross join lateral (
			select ${sum("sales", isSummed)}::int8 as sales, ${sum("priced", isSummed)}::int8 as priced,
				${sum("volume", isSummed)} as volume
			from (${sumsSince(binder, window, "c.id")}) as rollup
			${isSummed ? "where picked.sales is null" : ""}
		) as f`,
		},
		{
			alias: /\bm\./,
			sql: () => `cross join lateral (
			select ${sum("mints", isCounted)}::int8 as mints
			from (${sumsSince(binder, hour, "c.id")}) as rollup
			${isCounted ? "where picked.mints is null" : ""}
		) as m`,
		},
	];
}

function sum(column: string, isSummed: boolean): string {
	return `coalesce(${isSummed ? `picked.${column}, ` : ""}sum(${column}), 0)`;
}
