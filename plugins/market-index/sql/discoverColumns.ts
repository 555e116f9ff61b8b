import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { TRADE_COLUMNS } from "#plugins/market-index/sql/tradeColumns.ts";

/** The columns of a row of discover. */
export const DISCOVER_COLUMNS = [
	...TRADE_COLUMNS,
	"id",
	"floorBefore",
	"mints1h",
	"revealState",
] as const satisfies readonly (keyof CollectionRow)[];

export type DiscoverColumns = Pick<CollectionRow, (typeof DISCOVER_COLUMNS)[number]>;
