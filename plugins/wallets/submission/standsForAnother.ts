import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

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
