// Names the columns of lists, and binds the values of their statements.

import type { SqlValue } from "#core/db/Database.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** Collects a statement's parameters while its text is put together. */
export type Binder = {
	readonly values: SqlValue[];
	/** Adds a value and returns its placeholder with its type, `$3::int8`. */
	bind(value: SqlValue, type: string): string;
};

/** The columns of the rows of every list: a name, a floor, a window's sales, and a lifecycle. */
const TRADE_COLUMNS = [
	"chainId",
	"slug",
	"name",
	"imageUrl",
	"floorNative",
	"windowSales",
	"windowVolume",
	"firstMintAt",
	"lastMintAt",
	"mintedUnits",
	"maxSupply",
	"sales",
	"isTraded",
	"floorAt",
	"windowPriced",
	"eventsFrom",
	"eventsUntil",
	"walkFrom",
	"walkUntil",
	"providerSalesDay",
	"providerStatsAt",
	"isAnnounced",
] as const satisfies readonly (keyof CollectionRow)[];

export type TradeColumns = Pick<CollectionRow, (typeof TRADE_COLUMNS)[number]>;

/** The columns of a row of discover. */
export const DISCOVER_COLUMNS = [
	...TRADE_COLUMNS,
	"id",
	"floorBefore",
	"mints1h",
	"revealState",
] as const satisfies readonly (keyof CollectionRow)[];

export type DiscoverColumns = Pick<CollectionRow, (typeof DISCOVER_COLUMNS)[number]>;

/** The columns of a row of trending. */
export const TRENDING_COLUMNS = [
	...TRADE_COLUMNS,
	"address",
	"ownersCount",
	"listedCount",
	"ownersSource",
	"ownersAt",
	"listedAt",
] as const satisfies readonly (keyof CollectionRow)[];

export type TrendingColumns = Pick<CollectionRow, (typeof TRENDING_COLUMNS)[number]>;

/**
 * Makes a binder for statements made of shared parts, so that parameters need not be counted across
 * files.
 *
 * @example
 * const binder = createBinder();
 * const id = binder.bind(collectionId, "int4");
 * const text = `select slug from market_index.collection where id = ${id}`; // "… id = $1::int4"
 * await db.query(text, binder.values);
 */
export function createBinder(): Binder {
	const values: SqlValue[] = [];
	return {
		values,
		bind: (value, type) => `$${values.push(value)}::${type}`,
	};
}
