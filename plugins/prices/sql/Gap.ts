import type { FeedRef } from "#plugins/prices/sql/FeedRef.ts";

/** Rounds that were not read yet, both ends excluded; `below` 0 is the beginning. */
export type Gap = FeedRef & { below: bigint; above: bigint; roundsAsked: number };
