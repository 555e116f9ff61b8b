/** Why an intent is not settled. The codes are stable: answers and figures name them. */
export type WaitReason =
	/** Its row, or its transaction's, cannot be read. */
	| "unreadable"
	/** Nobody can say whether it left. */
	| "in_doubt"
	/** It left, and no node knows it any more. */
	| "dropped"
	/** The wallet provider said no to what it had signed: a node may still learn of it. */
	| "refused"
	/** A lower nonce of the wallet is in doubt or was dropped. */
	| "behind"
	/** By our records a lower nonce of the wallet is free. */
	| "nonce_gap"
	/** Nodes count transactions of the wallet that we do not know of. */
	| "nonce_unproven"
	/** It waits in its nonce queue for something else: gas above its limit, a chain that is away. */
	| "queued"
	/** It is being handed over, for longer than that takes. */
	| "handing_over"
	/** It was sent, and no node has shown it for long. */
	| "unseen"
	/** Nodes know it, and it is not mined. */
	| "slow"
	/** Another transaction of its wallet has its nonce, or the chain has counted past it. */
	| "nonce_used"
	/** Its nonce is used by its cancellation, which is not final yet. */
	| "cancelling"
	/** It is mined, and what follows from that is not written yet. */
	| "settling";
