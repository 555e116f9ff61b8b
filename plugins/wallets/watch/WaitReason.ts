/** How often figures of what waits are made, and how long one answer is given again. */
export const WATCH_EVERY_MS = 10_000;

export const WATCH_TIMEOUT_MS = 30_000;

export const WATCH_FRESH_MS = 5_000;

/** Intents that are judged one by one for the figures; the oldest come first. */
export const WATCHED_MAX = 1_000;

/** Open intents that are counted. More are shown as so many. */
export const COUNTED_MAX = 20_000;

/** What waits in a nonce queue for so long is looked into: by then the job had several turns. */
export const QUEUED_BLOCKED_AFTER_MS = 10_000;

/** Nonces of one account that are read. */
export const HELD_MAX = 2_000;

/** Entries of the spend ledger that one turn checks: the newest ones, and as many older ones. */
export const LEDGER_CHECKED_MAX = 500;

/** Intents whose entries do not fit that are remembered. More are as bad. */
export const LEDGER_FLAWS_MAX = 1_000;

/** Blocks that a transaction is given before it counts as slow. */
export const SLOW_AFTER_BLOCKS = 20;

/** Intents that operators are shown at once; the oldest come first. */
export const WAITING_LISTED_MAX = 200;

/** Why an intent is not settled. The codes are stable: answers and figures name them. */
export type WaitReason =
	/** An operator's yes: its kind says why. */
	| "review"
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
