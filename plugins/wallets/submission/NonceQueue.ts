import type {
	Submission,
	SubmissionPurpose,
	SubmissionState,
} from "#plugins/wallets/submission/Submission.ts";

/** A nonce that a transaction of ours holds, and where that stands. */
export type HeldNonce = { nonce: number; state: SubmissionState; purpose: SubmissionPurpose };

/** The ordered nonces of one wallet on one chain, as our own records have them. */
export type NonceQueue = {
	/** Whether one of its transactions is being handed over now. */
	isSending: boolean;
	/** Nonces from the account's count on that ours hold, ascending; two may hold one. */
	held: readonly HeldNonce[];
	/**
	 * All nonces below it are used for good by what we know. 0 where we know of none from the
	 * account's own count on: the node knows those below itself.
	 */
	finalCount: number;
	/** The nonce after the highest of ours; null where we never sent for it. */
	ownCount: number | null;
	/** Base units of the chain's coin that are promised to what is not mined yet: values and gas. */
	promisedRaw: bigint;
};

/**
 * Whether the nonce of a refused payment went to another payment of the wallet. Then that one ends
 * it once it is mined, and a cancellation would only take the place of the wrong one.
 */
export function isNonceTaken(
	{ state, nonce }: Pick<Submission, "state" | "nonce">,
	{ held }: Pick<NonceQueue, "held">,
): boolean {
	return state === "refused" && held.some((one) => one.nonce === nonce && one.purpose === "pay");
}
