import type { Queryable } from "#core/db/Database.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { COUNTED_MAX } from "#plugins/wallets/watch/limits.ts";

export type OpenCount = { kind: string; state: IntentStatus; count: number; oldest: Date | null };

/**
 * How many intents of each kind stand in each open state, and since when the oldest does. Walks
 * `intent_open` from its oldest entry, `COUNTED_MAX` at most: settled intents are not in it.
 */
export async function countOpen(db: Queryable): Promise<OpenCount[]> {
	return db.query<OpenCount>(
		`select kind, status as state, count(*)::int as count,
			min(changed_at) filter (where isfinite(changed_at)) as oldest
		from (
			select kind, status, changed_at from wallets.intent
			where status in ('created', 'submitting', 'submitted', 'uncertain',
				'confirmation_required', 'review_required', 'signature_required')
			order by changed_at limit ${COUNTED_MAX}
		) as open
		group by kind, status`,
	);
}
