import type { Hex } from "#core/chain/Hex.ts";

/** A block by its header. */
export type Head = {
	number: number;
	hash: Hex;
	parentHash: Hex;
	timestampMs: number;
	/** Null if the node omitted it, or sent an invalid one: then it rules nothing out. */
	logsBloom: Hex | null;
};
