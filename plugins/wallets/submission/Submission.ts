import type { Address, Hex } from "#core/chain/Hex.ts";

/** Where a payment stands whose nonce can be taken from it. */
const CANCELLABLE: ReadonlySet<SubmissionState> = new Set([
	"sent",
	"doubtful",
	"dropped",
	"refused",
]);

/**
 * `queued`: reserved for, handed to nobody. `doubtful`: nobody can say whether it left. `dropped`:
 * it left, and no node knows it any more. `refused`: the wallet provider said no, and named a hash:
 * signed bytes exist, and no node knows them. `never`: it is proved that it did not leave, or that
 * its nonce went to another transaction.
 */
export type SubmissionState =
	| "queued"
	| "sending"
	| "sent"
	| "doubtful"
	| "dropped"
	| "refused"
	| "mined"
	| "reverted"
	| "never";

/**
 * `pay`: what was planned. `cancel`: the wallet sends nothing to itself, under the nonce of a
 * payment that must not be mined any more. `fill`: the same under a lower nonce that is free.
 */
export type SubmissionPurpose = "pay" | "cancel" | "fill";

/** One transaction of an intent, handed over once at most. Its id is the provider's reference. */
export type Submission = {
	id: string;
	intentId: string;
	purpose: SubmissionPurpose;
	walletId: string;
	chainId: number;
	sender: Address;
	/**
	 * Null for a payment before it is handed over, and where its owner's own wallet chose it.
	 */
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
	/** Deep enough, or gone for so long, that nobody looks again. */
	finalAtMs: number | null;
};

/** Whether a payment was sent, or may have been, and nothing mined has settled it yet. */
export function isCancellable({
	state,
	finalAtMs,
}: Pick<Submission, "state" | "finalAtMs">): boolean {
	return finalAtMs === null && CANCELLABLE.has(state);
}
