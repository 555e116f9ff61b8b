import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";

export const LIST_MODES = ["trending", "top", "new"] as const;
export type ListMode = (typeof LIST_MODES)[number];

/** One of the provider's lists as last read. */
export type DiscoveryList = { rows: ListedRow[]; refreshedAtMs: number };
