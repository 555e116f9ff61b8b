/** Where an intent stands. `confirmed` and `failed` are what the chain says, and move with it. */
export type IntentStatus =
	| "created"
	| "rejected"
	| "confirmation_required"
	| "review_required"
	| "signature_required"
	| "submitting"
	| "submitted"
	| "uncertain"
	| "confirmed"
	| "failed"
	| "expired"
	| "dry_run";

/** What happens to an intent. */
export type IntentEvent =
	/** Policy, balance or simulation said no, or its owner called it off: nothing was sent. */
	| "deny"
	| "ask_confirmation"
	| "ask_review"
	| "ask_signature"
	| "skip_dry_run"
	/** Its owner confirmed, an operator reviewed: it is planned anew. */
	| "approve"
	| "expire"
	/** The spend is reserved and the submission recorded, in one transaction. */
	| "reserve"
	/** The wallet provider, or the owner's own wallet, gave the hash. */
	| "sent"
	/** The wallet provider said no in a way that proves that nothing left. */
	| "refused"
	/** Nobody can say whether it left. */
	| "doubt"
	/** Looked up: there it is. */
	| "found"
	/** The chain's newest receipt of it. */
	| "mined"
	| "reverted"
	/** Mined and paid for, and what was paid for is not there. */
	| "missed"
	/** It can never be mined: it left nobody's hands, or its nonce went to another transaction. */
	| "disproved"
	/** The block of its receipt left the chain. */
	| "reorged";
