import type { IntentEvent, IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";

/**
 * Every move an intent can make. What is not here is refused and logged: a status is only ever
 * written through `moveIntent`.
 *
 * Money can have left from `submitting` on, so from there no way leads back to where it is sent.
 */
export const intentMachine: Readonly<
	Record<IntentStatus, Readonly<Partial<Record<IntentEvent, IntentStatus>>>>
> = {
	created: {
		deny: "rejected",
		ask_confirmation: "confirmation_required",
		ask_review: "review_required",
		ask_signature: "signature_required",
		skip_dry_run: "dry_run",
		skip_done: "confirmed",
		sign: "confirmed",
		wait: "waiting",
		reserve: "submitting",
		expire: "expired",
	},
	confirmation_required: { approve: "created", deny: "rejected", expire: "expired" },
	review_required: { pass_review: "created", deny: "rejected", expire: "expired" },
	// It does not expire: the step that it waits for does, and then it ends with that.
	// An owner's own wallet may sign both without waiting: then the chain says what it came to.
	waiting: {
		...{ resume: "created", sent: "submitted" },
		...{ deny: "rejected", skip_dry_run: "dry_run" },
	},
	signature_required: { sent: "submitted", deny: "rejected", expire: "expired" },
	submitting: {
		sent: "submitted",
		refused: "failed",
		doubt: "uncertain",
		found: "submitted",
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		disproved: "failed",
	},
	submitted: {
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		doubt: "uncertain",
		disproved: "failed",
	},
	uncertain: {
		found: "submitted",
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		disproved: "failed",
	},
	confirmed: { reorged: "uncertain" },
	// A receipt in a block that is gone, or a hash that turned up after all.
	failed: { reorged: "uncertain", found: "submitted" },
	rejected: {},
	// A signature can be given in the minute its link runs out: the chain is believed.
	expired: { found: "submitted" },
	dry_run: {},
};

/** Where the event leads from there; null where the machine knows no such move. */
export function nextStatus(from: IntentStatus, event: IntentEvent): IntentStatus | null {
	return intentMachine[from][event] ?? null;
}
