import type { Queryable } from "#core/db/Database.ts";
import { STRANDED_MAX } from "#plugins/wallets/reconcile/limits.ts";

export type WaitingQueue = { walletId: string; chainId: number };

/**
 * Nonce queues with something in them for so long that nobody may be at it any more, and that were
 * not left alone for a while, those that wait longest first: one that has to wait again and again
 * must not keep the others from their turn. What cannot be read takes no turn either. Scans
 * `submission_open`.
 */
export async function readQueues(
	db: Queryable,
	{ before, at }: { before: Date; at: Date },
): Promise<WaitingQueue[]> {
	return db.query<WaitingQueue>(
		`select wallet_id as "walletId", chain_id as "chainId" from wallets.submission s
		where final_at is null and state = 'queued' and created_at < $1
			and not exists (
				select from core.quarantined_row q where (q.source, q.key) in
					(('wallets.submission', s.id::text), ('wallets.intent', s.intent_id::text))
			)
			and (look_at is null or look_at <= $3)
		group by wallet_id, chain_id order by min(coalesce(look_at, created_at)) limit $2`,
		[before, STRANDED_MAX, at],
	);
}
