import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Whether the nonce of a refused payment went to another payment of the wallet. Then that one ends
 * it once it is mined, and a cancellation would only take the place of the wrong one.
 */
export function isNonceTaken(
	{ state, nonce }: Pick<Submission, "state" | "nonce">,
	{ held }: Pick<NonceQueue, "held">,
): boolean {
	return state === "refused" && held.some((one) => one.nonce === nonce && one.purpose === "pay");
}
