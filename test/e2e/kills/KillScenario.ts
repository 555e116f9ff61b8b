import type { Hex } from "viem";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/faults/CustodyFault.ts";

/** A request that moves money, and what it would move. */
export type KillRun = {
	path: string;
	body: Readonly<Record<string, unknown>>;
	/** What it is answered with. */
	status: number;
	/** Whom its intents pay, or which token they buy; one intent for each. */
	wanted: readonly Wanted[];
	/** It cannot be paid, so nothing may leave. */
	isDenied: boolean;
};

export type Wanted =
	| { kind: "pay"; recipient: Hex; raw: bigint }
	| { kind: "buy"; tokenId: bigint; raw: bigint };

export type KillScenario = {
	name: string;
	/** What the wallet provider does with the requests to send. */
	faults: readonly CustodyFaultOrder[];
	asksOwner: boolean;
	/**
	 * The node forgets what waits, once, after the service has seen it: nothing is mined before, and
	 * so much time passes then that it is given up for lost.
	 */
	isDropped: boolean;
	/** Its owner cancels all of it, by nonce, while nothing is mined. */
	isCancelled: boolean;
	prepare(lane: KillLane): Promise<KillRun>;
};
