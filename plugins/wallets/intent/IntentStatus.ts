/** Where an intent can stand. `confirmed` and `failed` are what the chain says, moving with it. */
export const intentStatuses = [
	"created",
	"rejected",
	"confirmation_required",
	"review_required",
	"signature_required",
	/** For the step before it to be confirmed. */
	"waiting",
	"submitting",
	"submitted",
	"uncertain",
	"confirmed",
	"failed",
	"expired",
	"dry_run",
] as const;

export type IntentStatus = (typeof intentStatuses)[number];

/** What happens to an intent. */
export type IntentEvent =
	/** Policy, balance or simulation said no, or its owner called it off: nothing was sent. */
	| "deny"
	| "ask_confirmation"
	| "ask_review"
	| "ask_signature"
	| "skip_dry_run"
	/** Its owner confirmed: it is planned anew. */
	| "approve"
	/** An operator said yes to what was to be reviewed: it is planned anew. */
	| "pass_review"
	/** Another step comes before it. */
	| "wait"
	/** The step before it is confirmed: it is planned now. */
	| "resume"
	/** What it is for is so already: nothing is sent. */
	| "skip_done"
	| "expire"
	/** What it is to sign is signed and stored; its spend counts from now on. */
	| "sign"
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
