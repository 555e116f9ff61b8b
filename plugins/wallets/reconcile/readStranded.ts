import type { Queryable } from "#core/db/Database.ts";
import { STRANDED_MAX } from "#plugins/wallets/reconcile/limits.ts";

/**
 * Intents whose time is over, and those that nobody has taken further for a while: of a batch only
 * one, since all of it goes with any. Along the index `intent_open`.
 */
export async function readStranded(
	db: Queryable,
	{ at, before }: { at: Date; before: Date },
): Promise<{ expired: string[]; created: string[] }> {
	const expired = await db.query<{ id: string }>(
		`select id from wallets.intent
		where status in ('created', 'confirmation_required', 'review_required', 'signature_required')
			and expires_at <= $1
		order by changed_at limit $2`,
		[at, STRANDED_MAX],
	);
	const created = await db.query<{ id: string }>(
		`select min(id::text) as id from wallets.intent
		where status = 'created' and changed_at < $1 and expires_at > $2 and not exists (
			select from core.quarantined_row q
			where q.source = 'wallets.intent' and q.key = intent.id::text
		)
		group by coalesce(batch_id, id) order by min(changed_at) limit $3`,
		[before, at, STRANDED_MAX],
	);
	return { expired: expired.map(({ id }) => id), created: created.map(({ id }) => id) };
}
