import type { SpanBefore } from "#plugins/market-index/owners/Span.ts";

export type OwnedBefore = SpanBefore & { setId: number };
