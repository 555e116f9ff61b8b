import type { EventRow } from "#plugins/market-index/apply/EventRow.ts";
import type { Rollup } from "#plugins/market-index/apply/Rollup.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import type { KnownCollection } from "#plugins/market-index/sql/findCollections.ts";

/** What a batch changed. */
export type AppliedChange = {
	stored: readonly EventRow[];
	/** What only the provider had told of them, and was taken out. */
	confirmed: readonly TakenBack[];
	rollups: readonly Rollup[];
	touched: ReadonlyMap<number, KnownCollection>;
};
