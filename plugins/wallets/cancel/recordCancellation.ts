import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { CancelTerms } from "#plugins/wallets/cancel/cancelTerms.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";

/**
 * The owner's own wallet says that it sent a cancellation. One hash stands for one transaction of
 * ours, so the payment's own, or another's, is refused; the same one reported again is one.
 *
 * That changes nothing for the intent, whatever was reported: the chain shows which of the two was
 * mined. The nonce is the one that was asked for: what is sent under another is no cancellation.
 */
export async function recordCancellation(
	deps: ExecutionDeps,
	tx: Tx,
	given: { intent: Intent; terms: CancelTerms; transactionHash: Hex },
): Promise<void> {
	const { intent, terms, transactionHash } = given;
	const { chainId, from, nonce } = terms;
	const payment = await readPayment(tx, intent.id);
	if (!payment) throw executionFault.intentState();
	if (await isReported(tx, given)) return;
	const written = await tx.execute(
		`insert into wallets.submission (id, intent_id, step, purpose, wallet_id, chain_id, sender,
			state, transaction_hash, seen_nonce, from_block, session, created_at, sent_at)
		select $1, i.id, 0, 'cancel', $3, $4, $5, 'sent', $6, $7, coalesce($8, i.planned_block), $9,
			$10, $10
		from wallets.intent i where i.id = $2
		on conflict do nothing`,
		[
			deps.newId(),
			intent.id,
			payment.walletId,
			chainId,
			hexToBytes(from),
			hexToBytes(transactionHash),
			nonce,
			payment.fromBlock,
			deps.session,
			new Date(deps.clock.nowMs()),
		],
	);
	// Somebody reported it for something else in this moment.
	if (written === 0) throw executionFault.transactionOther();
	await deps.audit.append(tx, {
		actor: `profile:${intent.profileId}`,
		action: "trading.intent.cancellation_signed",
		subject: `intent:${intent.id}`,
		detail: { profileId: intent.profileId, nonce, transactionHash, by: "link" },
	});
}

/** Whether it was reported for the same intent. Throws where it stands for anything else. */
async function isReported(
	tx: Tx,
	{ intent, terms, transactionHash }: Parameters<typeof recordCancellation>[2],
): Promise<boolean> {
	const [known] = await tx.query<{ intentId: string; purpose: string }>(
		`select intent_id as "intentId", purpose::text as purpose from wallets.submission
		where chain_id = $1 and sender = $2 and transaction_hash = $3`,
		[terms.chainId, hexToBytes(terms.from), hexToBytes(transactionHash)],
	);
	if (!known) return false;
	if (known.intentId === intent.id && known.purpose === "cancel") return true;
	const isPayment = known.intentId === intent.id && known.purpose === "pay";
	throw isPayment
		? executionFault.transactionOther({ public: "That transaction is the payment itself." })
		: executionFault.transactionOther();
}
