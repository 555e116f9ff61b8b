import type { Denial, SpendSituation } from "#plugins/wallets/contract.ts";

/**
 * Returns why a transfer is denied besides the limits in USD; null: it is not. If the deployment
 * asks for it, a new recipient must be known for some time before money is sent automatically: in
 * that time the owner can notice actions that are not theirs.
 */
export function transferDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	// Also where the recipient is missing from the situation: a transfer always has one.
	if ((recipientKnownForMs ?? 0) >= limits.recipientCooldownMs) return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}
