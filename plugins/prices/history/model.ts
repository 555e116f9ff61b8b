// Declares the spans, the options and the metrics that the readers of feeds share.

import type { Core } from "#core/plugin/Core.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Feed } from "#plugins/prices/feed.ts";
import type { RoundProblem } from "#plugins/prices/round.ts";

/** A span of time in which a price became known. */
export type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

export type Span = Pick<Learned, "fromMs" | "toMs">;

/** Spans by feed. */
export type FeedSpans = Map<string, Span>;

export type PriceMetrics = {
	/** Counts an answer of a feed that cannot be a price. */
	rejected(reason: RoundProblem | "decimals"): void;
	/** Counts a failed poll of a chain's feeds. */
	failed(chain: string): void;
};

/** What reading feeds needs. */
export type ReadOptions = Pick<Core, "db" | "clock" | "log" | "reached"> & {
	feeds: readonly Feed[];
	metrics: PriceMetrics;
	/** Called with what became known, after it was committed. */
	learned(spans: FeedSpans): Promise<void>;
};
