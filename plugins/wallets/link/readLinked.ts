import type { Queryable } from "#core/db/Database.ts";
import { cancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import type { Intent, LinkOutcome } from "#plugins/wallets/contract.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { OpenLink } from "#plugins/wallets/link/createLinks.ts";
import { linkFault } from "#plugins/wallets/link/faults.ts";
import { chainShown, type LinkContext } from "#plugins/wallets/link/LinkContext.ts";
import { hashBatch } from "#plugins/wallets/plan/hashPlan.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";
import { isCancellable } from "#plugins/wallets/submission/Submission.ts";

/**
 * Reads the intents that a link asks about, as they stand. Throws `not_found` where they wait no
 * more, or were planned anew since: there is nothing to agree to by this link.
 */
export async function readLinked(
	db: Queryable,
	link: OpenLink,
	options: { mayHaveExpired?: boolean } = {},
): Promise<Intent[]> {
	const { intentId, purpose, planHash } = link;
	const [intent] = await readIntents(db, [intentId]);
	if (!intent) throw linkFault.notFound();
	if (purpose === "cancel") {
		const isOpen = await isToBeCancelled(db, { link, mayBeOver: options.mayHaveExpired === true });
		if (!isOpen) throw linkFault.notFound();
		return [intent];
	}
	const intents = purpose === "confirm" ? await readBatch(db, intent) : [intent];
	const waits = purpose === "confirm" ? "confirmation_required" : "signature_required";
	const isOpen = intents.every(({ status }) => {
		return status === waits || (options.mayHaveExpired === true && status === "expired");
	});
	if (!isOpen || hashBatch(intents) !== planHash) throw linkFault.notFound();
	return intents;
}

/**
 * Whether what a link to cancel asks for still takes the payment's nonce: it is bound to its terms,
 * and the payment has the nonce of these and hangs. `mayBeOver`: what was signed meanwhile can be
 * reported until the payment is final, because what was mined can still leave the chain.
 */
async function isToBeCancelled(
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

/** Says where an intent stands: its state and its transactions, and nothing of its owner. */
export function outcomeOf(
	{ chainOf }: Pick<LinkContext, "chainOf">,
	{ kind, status, errorCode, transactionHash, cancellation, chainId }: Intent,
): LinkOutcome {
	const chain = chainShown(chainOf, chainId);
	return { kind, status, errorCode, transactionHash, cancellation, chain };
}
