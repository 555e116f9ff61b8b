import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import { nextStatus } from "#plugins/wallets/intent/intentMachine.ts";
import { noteMove } from "#plugins/wallets/intent/moveIntent.ts";

export type Sent = {
	submissionId: string;
	transactionHash: Hex;
	transactionId: string | null;
	at: Date;
	/** When it is looked at first. */
	lookAt: Date;
};

/**
 * Writes that a submission left, and moves its intent where that waits for it, in one statement.
 * Nothing is written where the submission is not open any more, and where the hash stands for
 * another of the same sender: one hash stands for one intent. What other senders say that it is of
 * theirs, the chain will not confirm.
 */
export async function recordSent(
	tx: Tx,
	{ submissionId, transactionHash, transactionId, at, lookAt }: Sent,
): Promise<{ isWritten: boolean; isMoved: boolean }> {
	const to = nextStatus("submitting", "sent");
	assert(to !== null, "what is submitting can be sent");
	const rows = await tx.query<{ written: number; moved: number }>(
		`with handed as (
			update wallets.submission as own
			set state = 'sent', transaction_hash = $2, provider_transaction_id = $3, look_at = $6
			where id = $1 and state in ('sending', 'doubtful') and not exists (
				select from wallets.submission as other
				where other.chain_id = own.chain_id and other.sender = own.sender
					and other.transaction_hash = $2 and other.id <> $1
			)
			returning intent_id, purpose
		), moved as (
			update wallets.intent set status = $4, error_code = null, changed_at = $5
			from handed where id = handed.intent_id and status = 'submitting'
				and handed.purpose = 'pay'
			returning id
		), noted as (
			${noteMove({ event: "'sent'", from: "'submitting'", to: "$4", at: "$5" })}
		)
		select (select count(*) from handed)::int as written,
			(select count(*) from moved)::int as moved`,
		[submissionId, hexToBytes(transactionHash), transactionId, to, at, lookAt],
	);
	const [row] = rows;
	return { isWritten: row?.written === 1, isMoved: row?.moved === 1 };
}

/**
 * Whether a hash is another submission's of the same sender: one hash stands for one intent. What
 * other senders say that it is of theirs, the chain will not confirm.
 */
export async function standsForAnother(
	tx: Tx,
	asked: { submissionId: string; chainId: number; transactionHash: Hex },
): Promise<boolean> {
	const rows = await tx.query(
		`select 1 from wallets.submission
		where chain_id = $1 and transaction_hash = $2 and id <> $3
			and sender = (select sender from wallets.submission where id = $3)`,
		[asked.chainId, hexToBytes(asked.transactionHash), asked.submissionId],
	);
	return rows.length > 0;
}
