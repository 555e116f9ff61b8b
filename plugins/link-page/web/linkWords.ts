import type { LinkShown } from "#plugins/wallets/contract.ts";

/** What the page says of a link, by what it is for. */
export type LinkWords = {
	title: string;
	lead: string;
	button: string;
	/** The link ran out before it was answered. */
	runOut: string;
	/** The person said no in their wallet. */
	declined: string;
	/** Added where the wallet failed after it was asked. */
	failed: string;
};

const LOOK_FIRST = "Look at its activity before you try again: it may have sent all the same.";

/** The page's sentences for a link. */
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
