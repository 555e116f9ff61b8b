import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

/**
 * What denies a transfer besides the limits in USD; null: nothing. Who is new must be known for a
 * while before money goes there by itself, where the deployment asks for that: that is the time its
 * owner has to see what somebody does in their name.
 */
export function transferDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	// Also where nobody says who gets it: a transfer always has somebody.
	if ((recipientKnownForMs ?? 0) >= limits.recipientCooldownMs) return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}
