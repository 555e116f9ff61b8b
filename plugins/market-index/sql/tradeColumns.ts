import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** The columns of the rows of every list: a name, a floor, a window's sales, and a lifecycle. */
export const TRADE_COLUMNS = [
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
