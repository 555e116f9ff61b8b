import type { Prices } from "#plugins/prices/contract.ts";

/** A span of time in which a price became known. */
export type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

export type Span = Pick<Learned, "fromMs" | "toMs">;

/** Spans by feed. */
export type FeedSpans = Map<string, Span>;
