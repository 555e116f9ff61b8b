import type { RpcRank } from "#core/chain/rpc/RpcPurpose.ts";

/** What one endpoint allows, shared by all who ask it. */
export type CallBudget = {
	/**
	 * How many of so many calls may be sent now: at least one, and the caller comes back for the
	 * rest. A number at once where nothing limits; else a promise that waits for its turn, and fails
	 * as silence where the signal aborts or the turn is too far away.
	 */
	take(calls: number, asked: CallTurn): number | Promise<number>;
	/** A request of so many calls was answered. */
	answered(calls: number): void;
	/** A request was refused for its rate, with a time or with 0; answers the pause, in ms. */
	refused(retryAfterMs: number): number;
	/** Whether anything limits now. */
	isLimited(): boolean;
	/** Calls that went another way (a socket): they use up what others wait for. */
	spent(calls: number): void;
};

export type CallTurn = { rank: RpcRank; signal?: AbortSignal | undefined };
