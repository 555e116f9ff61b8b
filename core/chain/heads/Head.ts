import type { Hex } from "#core/chain/Hex.ts";

/** A block as its header says. */
export type Head = {
	number: number;
	hash: Hex;
	parentHash: Hex;
	timestampMs: number;
	/** Null where the node left it out, or sent what is none: then it rules nothing out. */
	logsBloom: Hex | null;
};
