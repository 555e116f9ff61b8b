import type { Hex } from "#core/chain/Hex.ts";

/** The newest block an endpoint knows, as its header says. */
export type Head = { number: number; hash: Hex; parentHash: Hex; timestampMs: number };
