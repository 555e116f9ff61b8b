import type { Hex } from "viem";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/faults/CustodyFault.ts";

/** A request that moves money, and what it would move. */
export type KillRun = {
	path: string;
	body: Readonly<Record<string, unknown>>;
	/** The expected status of its answer. */
	status: number;
	/** The expected payments or purchases; one intent for each. */
	wanted: readonly Wanted[];
	/** True: it cannot be paid, so nothing may leave the wallet. */
	isDenied: boolean;
};

export type Wanted =
	| { kind: "pay"; recipient: Hex; raw: bigint }
	| { kind: "buy"; tokenId: bigint; raw: bigint };

export type KillScenario = {
	name: string;
	/** The wallet provider's faults when it is asked to send. */
	faults: readonly CustodyFaultOrder[];
	asksOwner: boolean;
	/**
	 * True: the node drops the pending transactions once, after the service has seen them. Nothing is
	 * mined before, and then so much time passes that they are given up for lost.
	 */
	isDropped: boolean;
	/** True: the owner cancels all of it, by nonce, while nothing is mined. */
	isCancelled: boolean;
	prepare(lane: KillLane): Promise<KillRun>;
};
