import type { Hex } from "#core/chain/Hex.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable } from "#core/db/Database.ts";
import { SENT_ROWS_MAX } from "#plugins/wallets/reconcile/limits.ts";

export type SentHash = { id: string; hash: Hex };

/**
 * Reads what is sent on a chain and not seen mined yet, by its hash; of very many the newest, as
 * these are mined next. Along the index `submission_sent`.
 */
export async function readSent(
	db: Queryable,
	{ chainId }: { chainId: number },
): Promise<SentHash[]> {
	const rows = await db.query<{ id: string; hash: Uint8Array }>(
		`select id, transaction_hash as hash from wallets.submission
		where chain_id = $1 and state = 'sent' and transaction_hash is not null
		order by created_at desc limit $2`,
		[chainId, SENT_ROWS_MAX],
	);
	return rows.map(({ id, hash }) => ({ id, hash: hexOf(hash) }));
}
