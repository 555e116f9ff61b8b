import type { Queryable } from "#core/db/Database.ts";

/**
 * What does not fit: `unbalanced`: a settled intent's reservation is not wholly spent or given
 * back, or that of one in flight is not wholly open; `overdrawn`: more was spent and given back
 * than was reserved, or less than nothing.
 */
export type LedgerFlaw = "unbalanced" | "overdrawn";

export type FlawedIntent = { intentId: string; flaw: LedgerFlaw; since: Date };

/**
 * Holds intents' entries in the spend ledger against where the intents stand; answers those that
 * do not fit. Both are read in one snapshot, and whoever moves an intent writes both in one
 * transaction. By `spend_of_intent` and the intents' primary key.
 */
export async function readLedgerFlaws(
	db: Queryable,
	intentIds: readonly string[],
): Promise<FlawedIntent[]> {
	if (intentIds.length === 0) return [];
	return db.query<FlawedIntent>(
		`select id as "intentId", since, case
				when least(spent, released) < 0 or spent + released > reserved then 'overdrawn'
				else 'unbalanced'
			end as flaw
		from wallets.intent i join lateral (
			select coalesce(sum(amount_raw) filter (where kind = 'reserve'), 0) as reserved,
				coalesce(sum(amount_raw) filter (where kind = 'spend'), 0)
					- coalesce(sum(amount_raw) filter (where kind = 'unspend'), 0) as spent,
				coalesce(sum(amount_raw) filter (where kind = 'release'), 0)
					- coalesce(sum(amount_raw) filter (where kind = 'unrelease'), 0) as released,
				max(at) as since
			from wallets.spend_entry where intent_id = i.id
		) ledger on true
		where id = any($1::uuid[]) and (
			least(spent, released) < 0
			or spent + released > reserved
			or case status
				when 'confirmed' then spent + released <> reserved or (spent = 0 and reserved > 0)
				when 'submitting' then spent + released <> 0
				when 'submitted' then spent + released <> 0
				when 'uncertain' then spent + released <> 0
				else spent + released <> reserved
			end
		)`,
		[intentIds],
	);
}
