// Says in words where an intent stands, for the page behind a one-time link.

type State = { title: string; lead: string; isOver: boolean };

const REASON = (code: string | null) => (code === null ? "" : ` The reason: ${code}.`);

/** What a status is to whoever asked for it; `isOver`: looking again shows nothing new. */
export function stateWords(
	status: string,
	errorCode: string | null,
	cancellation: { state: string } | null = null,
): State {
	const isOnItsWay = status === "submitted" || status === "uncertain";
	if (isOnItsWay && cancellation) return cancelling(cancellation.state);
	switch (status) {
		case "created":
			return { title: "Being prepared", lead: "Nothing was sent yet.", isOver: false };
		case "confirmation_required":
		case "signature_required":
			return {
				title: "Still waiting for an answer",
				lead: "Nothing was sent by this link. Ask for a new one to answer it.",
				isOver: true,
			};
		case "review_required":
			return { title: "Waiting for a review", lead: "Nothing was sent yet.", isOver: true };
		case "waiting":
			return {
				title: "Waiting for the step before it",
				lead: "Nothing of its own was sent yet.",
				isOver: false,
			};
		case "submitting":
			return { title: "Being sent", lead: "Do not ask for it again.", isOver: false };
		case "submitted":
			return {
				title: "Sent",
				lead: "It is on its way: the network has not confirmed it yet.",
				isOver: false,
			};
		case "uncertain":
			return {
				title: "Perhaps sent",
				lead: "It is being looked up. Do not ask for it again before it is found.",
				isOver: false,
			};
		case "confirmed":
			return { title: "Done", lead: "The network has confirmed it.", isOver: true };
		case "failed":
			if (errorCode === "cancelled") {
				const lead = cancellation
					? "Another transaction has taken its place for good: it cannot be mined any more."
					: "Nothing was sent.";
				return { title: "Cancelled", lead, isOver: true };
			}
			return {
				title: "It failed",
				lead: `${failureOf(errorCode)}${REASON(errorCode)}`,
				isOver: true,
			};
		case "rejected":
			return errorCode === "cancelled"
				? { title: "Called off", lead: "Nothing was sent.", isOver: true }
				: { title: "Not sent", lead: `Nothing was sent.${REASON(errorCode)}`, isOver: true };
		case "expired":
			return {
				title: "It has run out",
				lead: "It was not answered in time, and nothing was sent by this service.",
				isOver: true,
			};
		case "dry_run":
			return {
				title: "Confirmed",
				lead: "This service only practises: nothing is sent.",
				isOver: true,
			};
		default:
			return { title: status, lead: "", isOver: true };
	}
}

/** A payment of which a cancellation was sent: which of the two is mined is not known yet. */
function cancelling(state: string): State {
	if (state === "never") {
		return {
			title: "Not cancelled",
			lead:
				"What was sent to cancel it does not take its place, so the payment may still be mined. " +
				"Your wallet may have used another nonce: cancel it there, or ask for a new link.",
			isOver: false,
		};
	}
	const lead =
		state === "mined" || state === "reverted"
			? "The cancellation is mined. It counts for good after some more blocks."
			: "One of the two will be mined: the cancellation, or the payment where it is faster.";
	return { title: "Being cancelled", lead, isOver: false };
}

/** What was mined was sent, and its gas was paid, whatever came of it. */
const MINED = new Set(["reverted_on_chain", "not_received", "partly_received"]);

function failureOf(code: string | null): string {
	return code !== null && MINED.has(code)
		? "It was sent and is on the chain, but did not do what it was for."
		: "It did not go through.";
}
