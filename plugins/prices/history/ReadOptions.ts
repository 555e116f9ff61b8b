import type { Core } from "#core/plugin/Core.ts";
import type { Feed } from "#plugins/prices/feed/Feed.ts";
import type { FeedSpans } from "#plugins/prices/history/Learned.ts";
import type { PriceMetrics } from "#plugins/prices/priceMetrics.ts";

/** What reading feeds needs. */
export type ReadOptions = Pick<Core, "db" | "clock" | "log" | "reached"> & {
	feeds: readonly Feed[];
	metrics: PriceMetrics;
	/** Called with what became known, after it was committed. */
	learned(spans: FeedSpans): Promise<void>;
};
