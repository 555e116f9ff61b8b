/** One answer of an aggregator. Behind a proxy the id is `phase << 64 | round`. */
export type Round = { id: bigint; answer: bigint; updatedAtMs: number };
