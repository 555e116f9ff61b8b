import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { TRADE_COLUMNS } from "#plugins/market-index/sql/tradeColumns.ts";

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
