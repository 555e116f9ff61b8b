import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { LiveWallet } from "#test/e2e/liveness/openLiveWorld.ts";

/** The false answers of one round, all at the same time. */
export type LiveRound = {
	/** About all wallets. */
	shared: readonly FalseAnswer[];
	/** About each wallet, by its index; an empty list for a wallet that is told the truth. */
	own: readonly (readonly FalseAnswer[])[];
};

/** A wallet in a round, and the payments it was asked for. */
export type Player = {
	wallet: LiveWallet;
	own: readonly FalseAnswer[];
	/** True: neither its own answers nor shared ones are false. */
	isHonest: boolean;
	payments: Payment[];
	balanceBefore: bigint;
	coinsBefore: bigint;
	nonceBefore: number;
};

/**
 * A request to a wallet: to pay a new account, whose balance in the end is what it was paid, or to
 * buy a token for coins. `name` is the account, or the token's id.
 */
export type Payment = { kind: "pay" | "buy"; name: string; raw: bigint };

export type PlayedIntent = {
	id: string;
	status: string;
	errorCode: string | null;
	/** The `name` of its payment. */
	name: string;
	walletId: string;
};
