/**
 * Says in a few words where an intent stands, for one line of the agent's. Only what the chain has
 * confirmed is called done. A status that is not known is said as it is.
 */
export function statusSentence(status: string, errorCode: string | null): string {
	const reason = errorCode === null ? "" : ` (${errorCode})`;
	switch (status) {
		case "created":
			return "is being prepared, nothing was sent yet";
		case "confirmation_required":
			return "waits for your yes by the link, nothing was sent";
		case "review_required":
			return "waits for a review, nothing was sent";
		case "waiting":
			return "waits for the step before it, nothing of its own was sent";
		case "signature_required":
			return "waits for your wallet's signature by the link";
		case "submitting":
			return "is being sent: do not ask for it again";
		case "submitted":
			return "is on its way, not confirmed yet";
		case "uncertain":
			return "was perhaps sent and is being looked up: do not ask for it again";
		case "confirmed":
			return "is confirmed on chain";
		case "failed":
			return `failed${reason}`;
		case "rejected":
			return errorCode === "cancelled"
				? "was called off, nothing was sent"
				: `was refused${reason}, nothing was sent`;
		case "expired":
			return "ran out, nothing was sent";
		case "dry_run":
			return "was only practised: this service sends nothing";
		default:
			return `is ${status}`;
	}
}
