import type { Queryable } from "#core/db/Database.ts";
import { STRANDED_MAX } from "#plugins/wallets/reconcile/limits.ts";

export type Line = { walletId: string; chainId: number };

/**
 * Wallets with something in line for so long that nobody may be at it any more, and whose account
 * is not held up by one in doubt or dropped: those would have no turn, and take that of others. But
 * for what has run out meanwhile: calling that off needs no turn. What cannot be read takes no turn
 * either. Scans `submission_open`.
 */
export async function readLines(
	db: Queryable,
	{ before, at }: { before: Date; at: Date },
): Promise<Line[]> {
	return db.query<Line>(
		`select wallet_id as "walletId", chain_id as "chainId" from wallets.submission s
		where final_at is null and state = 'queued' and created_at < $1
			and not exists (
				select from core.quarantined_row q where (q.source, q.key) in
					(('wallets.submission', s.id::text), ('wallets.intent', s.intent_id::text))
			)
			and (
				not exists (
					select from wallets.submission ahead
					where ahead.chain_id = s.chain_id and ahead.sender = s.sender
						and ahead.state in ('sending', 'doubtful', 'dropped')
				)
				or exists (
					select from wallets.intent i where i.id = s.intent_id and i.expires_at < $3
				)
			)
		group by wallet_id, chain_id order by min(created_at) limit $2`,
		[before, STRANDED_MAX, at],
	);
}
