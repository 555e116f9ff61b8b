import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

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
