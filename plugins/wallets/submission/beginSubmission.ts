import type { Tx } from "#core/db/Database.ts";
import type { Beginning } from "#plugins/wallets/submission/beginningOf.ts";

/**
 * Records that a queued submission is about to be handed over. False where it is not queued any
 * more. The caller holds the profile's row and has read the nonce queue under it.
 */
export async function beginSubmission(
	tx: Tx,
	submissionId: string,
	beginning: Beginning,
): Promise<boolean> {
	const { transaction, stored, fromBlock, session, sentAt, validUntil } = beginning;
	const begun = await tx.execute(
		`update wallets.submission set state = 'sending', nonce = $2, transaction = $3,
			from_block = $4, session = $5, sent_at = $6, valid_until = $7
		where id = $1 and state = 'queued'`,
		[submissionId, transaction.nonce, stored, fromBlock, session, sentAt, validUntil],
	);
	return begun > 0;
}
