import type { Address, Hex } from "#core/chain/Hex.ts";

/**
 * `queued`: reserved for, handed to nobody. `doubtful`: nobody can say whether it left. `dropped`:
 * it left, and no node knows it any more. `never`: it is proved that it did not leave, or that its
 * nonce went to another transaction.
 */
export type SubmissionState =
	| "queued"
	| "sending"
	| "sent"
	| "doubtful"
	| "dropped"
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
	/** With which nonce a node knew it: the only one we know of what its owner's wallet sent. */
	seenNonce: number | null;
	/** When a node last knew it. */
	seenAtMs: number | null;
	/** A block in which the nonce was free still. */
	fromBlock: number | null;
	gasLimit: bigint | null;
	/** Until then the wallet provider may act on it. */
	validUntilMs: number | null;
	session: string | null;
	createdAtMs: number;
	sentAtMs: number | null;
};
