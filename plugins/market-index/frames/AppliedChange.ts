import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/CollectionChange.ts";
import type { Rollup } from "#plugins/market-index/rollup/Rollup.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";

/** What a batch changed. */
export type AppliedChange = {
	stored: readonly EventRow[];
	/** Events that only the provider had told before, and that were removed. */
	confirmed: readonly TakenBack[];
	/** What `stored` adds to the figures. */
	minutes: readonly Rollup[];
	collections: readonly CollectionChange[];
	touched: ReadonlyMap<number, KnownCollection>;
};
