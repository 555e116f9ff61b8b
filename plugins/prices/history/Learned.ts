import type { Prices } from "#plugins/prices/contract.ts";

/** A span of time in which something's price became known. */
export type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

export type Span = Pick<Learned, "fromMs" | "toMs">;

/** Spans by feed: those of what a feed said. */
export type FeedSpans = Map<string, Span>;
