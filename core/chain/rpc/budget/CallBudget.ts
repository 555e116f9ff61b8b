import type { RpcRank } from "#core/chain/rpc/RpcPurpose.ts";

/** The rate limit of one endpoint, shared by all its users. */
export type CallBudget = {
	/**
	 * Returns how many of these calls may be sent now: at least one; the caller asks again for the
	 * rest. A number directly if nothing limits; else a promise that waits for its turn, and fails as
	 * silence if the signal aborts or the turn is too far away.
	 */
	take(calls: number, asked: CallTurn): number | Promise<number>;
	/** Reports that a request of this many calls was answered. */
	answered(calls: number): void;
	/** Reports a refusal for the rate, with its retry time or 0; returns the pause in ms. */
	refused(retryAfterMs: number): number;
	/** Returns whether a limit applies now. */
	isLimited(): boolean;
	/** Reports calls that were sent another way (a socket): they use up the same limit. */
	spent(calls: number): void;
};

export type CallTurn = { rank: RpcRank; signal?: AbortSignal | undefined };
