// Says amounts, times and states in words, for the page behind a one-time link.

import type { LinkShown } from "#plugins/wallets/contract.ts";

/** Holds the sentences that the page shows for one kind of link. */
export type LinkWords = {
	title: string;
	lead: string;
	button: string;
	/** The link ran out before it was answered. */
	runOut: string;
	/** Shown when the person refused in their wallet. */
	declined: string;
	/** Added where the wallet failed after it was asked. */
	failed: string;
};

type State = { title: string; lead: string; isOver: boolean };

const LOOK_FIRST = "Look at its activity before you try again: it may have sent all the same.";

/** Writes a reason: in a sentence where there is one, and always by its code. */
const REASON = (code: string | null, message: string | null) =>
	code === null ? "" : message === null ? ` The reason: ${code}.` : ` ${message} (${code})`;

/** Lists results of transactions that were mined, whose gas was paid although they failed. */
const MINED = new Set(["reverted_on_chain", "not_received", "partly_received"]);

const SECONDS_PER_MINUTE = 60;

/** Returns dollars as text for people. */
export function dollars(usd: number): string {
	return new Intl.NumberFormat("en", { style: "currency", currency: "USD" }).format(usd);
}

/** Returns the page's sentences for a link. */
export function linkWords({
	purpose,
	transactions,
}: Pick<LinkShown, "purpose" | "transactions">): LinkWords {
	const { length } = transactions;
	switch (purpose) {
		case "confirm":
			return {
				title: `Confirm ${length > 1 ? `these ${length} transactions` : "this transaction"}`,
				lead: "Read it whole. What you confirm is sent as shown, or not at all.",
				button: "Confirm",
				runOut: "Nothing was sent. Ask for a new one.",
				declined: "Nothing was sent.",
				failed: LOOK_FIRST,
			};
		case "cancel":
			return {
				title: "Cancel a payment that was sent",
				lead:
					"Your own wallet sends nothing to itself in the payment's place. Only one of the two can be " +
					"mined: if the payment is faster, it stands.",
				button: "Sign the cancellation",
				// A wallet that failed while it was asked may have sent all the same.
				runOut:
					"No cancellation was reported to us, so the payment may still be mined. If your wallet " +
					"shows that it sent one, it counts all the same; otherwise ask for a new link.",
				declined:
					"You declined in your wallet. Nothing was sent, and the payment may still be mined.",
				failed:
					`${LOOK_FIRST} A wallet that lets no page choose the nonce has a Cancel of its own, beside ` +
					"the payment.",
			};
		default:
			return {
				title: "Sign in your wallet",
				lead: "Your own wallet sends it. Compare what it shows with this.",
				button: "Sign in your wallet",
				runOut:
					"Nothing was told to us. If your wallet shows that it sent this, do not send it again; " +
					"otherwise ask for a new link.",
				declined: "You declined in your wallet. Nothing was sent.",
				failed: LOOK_FIRST,
			};
	}
}

/**
 * Returns what a status means to the person who asked for it; `isOver`: it will not change any
 * more.
 */
export function stateWords(
	status: string,
	errorCode: string | null,
	cancellation: { state: string } | null = null,
	message: string | null = null,
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
			if (errorCode === "dropped_by_reorg") {
				return {
					title: "Taken back by the network",
					lead:
						"It was in a block that the network gave up, and no node knows it any more. It may still " +
						"come back: do not ask for it again. You may cancel it.",
					isOver: false,
				};
			}
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
				lead: `${failureOf(errorCode)}${REASON(errorCode, message)}`,
				isOver: true,
			};
		case "rejected":
			return errorCode === "cancelled"
				? { title: "Called off", lead: "Nothing was sent.", isOver: true }
				: {
						title: "Not sent",
						lead: `Nothing was sent.${REASON(errorCode, message)}`,
						isOver: true,
					};
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

/** Renders the time left as minutes and seconds; never below zero. */
export function timeLeft(ms: number): string {
	const seconds = Math.max(0, Math.ceil(ms / 1_000));
	const rest = String(seconds % SECONDS_PER_MINUTE).padStart(2, "0");
	return `${Math.floor(seconds / SECONDS_PER_MINUTE)}:${rest}`;
}

/** Returns the words for a payment whose cancellation was sent: either of them may be mined. */
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

function failureOf(code: string | null): string {
	return code !== null && MINED.has(code)
		? "It was sent and is on the chain, but did not do what it was for."
		: "It did not go through.";
}
