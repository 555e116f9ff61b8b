import type { NodeLie } from "#test/e2e/liveness/NodeLie.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/faults/CustodyFault.ts";

/** Something false that a source says, or does, to one wallet or to all. One row of a table. */
export type FalseAnswer = {
	name: string;
	source: "node" | "wallet provider" | "chain" | "clock";
	/** Of whom: `wallet`, nobody but that wallet may wait for it; `all`, it ends for all at once. */
	about: "wallet" | "all";
	/** How many blocks come while it lies; a few without it. */
	blocks?: number;
	/** How long it lies by the service's clock, beyond a few seconds. */
	lastsMs?: number;
	/** What the node says, made anew for each time that it begins to lie. */
	lies?: () => readonly NodeLie[];
	/** What the wallet provider does with the wallet that it is told of. */
	faults?: readonly CustodyFaultOrder[];
	/** What happens to time, or to its transactions: in the pool, or once all are confirmed. */
	happens?: ChainEvent;
};

export type ChainEvent =
	/** The node's pool forgets all of them. */
	| "forgets_all"
	/** It forgets the first, so that those behind it wait for a nonce that nobody uses. */
	| "forgets_first"
	/** One turn of the jobs is an hour ahead: the clock of whoever ran it was wrong. */
	| "clock_step"
	/** After `confirmed`, the blocks that hold them are replaced by blocks without them. */
	| "reorg";
