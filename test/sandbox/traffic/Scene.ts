import type { Hex } from "viem";
import type { CollectionPlan } from "../catalogue.ts";
import type { Prng } from "../createPrng.ts";
import type { Actor, CollectionState, World } from "../World.ts";

export type PlannedTx = { actor: number; to: Hex; data: Hex; value: bigint; label: string };

/**
 * One block being planned.
 *
 * Nothing is used twice in a block: a token or a holder that was used can be used again from the
 * next block on, so no plan depends on the order of transactions within a block.
 */
export type Scene = {
	world: World;
	prng: Prng;
	actors: readonly Actor[];
	nowS: number;
	touched: Set<string>;
	txs: PlannedTx[];
};

/** A collection with its plan, as every planner takes it. */
export type Stall = { state: CollectionState; plan: CollectionPlan };
