import type { Hex } from "#core/chain/Hex.ts";
import type { Deal } from "#test/sim/chain/Deal.ts";

/** A transaction keeps its hash when another block includes it. */
export type SimTransaction = Deal & { hash: Hex };

export type SimBlock = {
	number: number;
	hash: Hex;
	parentHash: Hex;
	timestampS: number;
	/** A real one: whoever checks logs against it must find every log in it. */
	logsBloom: Hex;
	transactions: readonly SimTransaction[];
};

/** One line of blocks from genesis. Only its end grows; a fork is another branch. */
export type Branch = { blocks: SimBlock[]; homes: Map<Hex, SimBlock> };
