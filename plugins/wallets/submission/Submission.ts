import type { Address, Hex } from "#core/chain/Hex.ts";

/**
 * `queued`: reserved for, handed to nobody. `doubtful`: nobody can say whether it left. `never`: it
 * is proved that it did not, or that its nonce went to another transaction.
 */
export type SubmissionState =
	| "queued"
	| "sending"
	| "sent"
	| "doubtful"
	| "mined"
	| "reverted"
	| "never";

/** One transaction of an intent, handed over once at most. Its id is the provider's reference. */
export type Submission = {
	id: string;
	intentId: string;
	walletId: string;
	chainId: number;
	sender: Address;
	/** Null before it is handed over, and where its owner's own wallet chose it. */
	nonce: number | null;
	state: SubmissionState;
	providerTransactionId: string | null;
	transactionHash: Hex | null;
	blockNumber: number | null;
	blockHash: Hex | null;
	/** The chain's head when the nonce was taken. */
	fromBlock: number | null;
	gasLimit: bigint | null;
	/** Until then the wallet provider may act on it. */
	validUntilMs: number | null;
	session: string | null;
	createdAtMs: number;
	sentAtMs: number | null;
};
