import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { LiveWallet } from "#test/e2e/liveness/openLiveWorld.ts";

/** Who is lied to, and how, all at the same time. */
export type LiveRound = {
	/** About what all wallets share. */
	shared: readonly FalseAnswer[];
	/** About each wallet, by its place; the others are told the truth. */
	own: readonly (readonly FalseAnswer[])[];
};

/** A wallet in a round, and whom it was asked to pay. */
export type Player = {
	wallet: LiveWallet;
	own: readonly FalseAnswer[];
	/** Neither its own answers nor shared ones are false. */
	isHonest: boolean;
	payments: Payment[];
	balanceBefore: bigint;
	coinsBefore: bigint;
	nonceBefore: number;
};

/**
 * What a wallet was asked for: to pay a fresh account, whose balance in the end is what it was
 * paid, or to buy a token for coins. `name` is the account, or the token's id.
 */
export type Payment = { kind: "pay" | "buy"; name: string; raw: bigint };

export type PlayedIntent = {
	id: string;
	status: string;
	errorCode: string | null;
	/** Of its payment. */
	name: string;
	walletId: string;
};
