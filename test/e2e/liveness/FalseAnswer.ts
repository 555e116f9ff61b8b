import type { NodeLie } from "#test/e2e/liveness/NodeLie.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/faults/CustodyFault.ts";

/**
 * A false answer of a source, or a false act, about one wallet or about all. One row of a table.
 */
export type FalseAnswer = {
	name: string;
	source: "node" | "wallet provider" | "chain" | "clock";
	/** `wallet`: no other wallet may be held up by it. `all`: all wallets go on once it ends. */
	about: "wallet" | "all";
	/** How many blocks are mined while it lasts; a few by default. */
	blocks?: number;
	/** How long it lasts by the service's clock, beyond a few seconds. */
	lastsMs?: number;
	/** The node's lies, made anew each time that it begins to lie. */
	lies?: () => readonly NodeLie[];
	/** The wallet provider's faults for the wallet. */
	faults?: readonly CustodyFaultOrder[];
	/**
	 * An event of the clock or of the wallets' transactions, while they are pending or once all are
	 * confirmed.
	 */
	happens?: ChainEvent;
};

export type ChainEvent =
	/** The node's pool drops all of them. */
	| "forgets_all"
	/** It drops the first, so that those behind it wait for an unused nonce. */
	| "forgets_first"
	/** One turn of the jobs is an hour ahead, as in a process with a wrong clock. */
	| "clock_step"
	/** After `confirmed`, the blocks with them are replaced by blocks without them. */
	| "reorg";
