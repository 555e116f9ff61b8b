import type { Queryable } from "#core/db/Database.ts";
import { cancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import type { OpenLink } from "#plugins/wallets/link/createLinks.ts";
import { isCancellable } from "#plugins/wallets/submission/isCancellable.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";

/**
 * Whether what a link to cancel asks for still takes the payment's nonce: it is bound to its terms,
 * and the payment has the nonce of these and hangs. `mayBeOver`: what was signed meanwhile can be
 * reported until the payment is final, because what was mined can still leave the chain.
 */
export async function isToBeCancelled(
	db: Queryable,
	{ link, mayBeOver }: { link: OpenLink; mayBeOver: boolean },
): Promise<boolean> {
	const { terms, planHash, intentId } = link;
	if (!terms || cancelTerms.hash(terms) !== planHash) return false;
	const payment = await readPayment(db, intentId);
	if (!payment) return false;
	const isSame =
		(payment.nonce ?? payment.seenNonce) === terms.nonce &&
		payment.sender === terms.from &&
		payment.chainId === terms.chainId;
	const isOpen = mayBeOver ? payment.finalAtMs === null : isCancellable(payment);
	return isSame && isOpen;
}
