// Checks the spend ledger against the states of intents.

import type { Queryable } from "#core/db/Database.ts";
import { LEDGER_CHECKED_MAX, LEDGER_FLAWS_MAX } from "#plugins/wallets/watch/judgeWait.ts";

/**
 * Names what is wrong: `unbalanced`: a settled intent's reservation is not wholly spent or
 * released, or that of one in flight is not wholly open; `overdrawn`: more was spent and released
 * than was reserved, or less than nothing.
 */
export type LedgerFlaw = "unbalanced" | "overdrawn";

export type FlawedIntent = { intentId: string; flaw: LedgerFlaw; since: Date };

/** Checks the spend ledger a part at a time; answers all intents that are known not to fit. */
export type LedgerCheck = { turn(): Promise<readonly FlawedIntent[]> };

/**
 * Creates the ledger's check. Each turn checks the intents of the newest entries, of as many older
 * ones, and of what did not fit the last time: the older ones are gone through from the first entry
 * to the last, again and again. So a turn costs the same however large the ledger is. Where it is,
 * is in memory: a restart begins at the first entry again.
 */
export function createLedgerCheck(db: Queryable): LedgerCheck {
	let flawed: readonly FlawedIntent[] = [];
	let sweptTo = 0;
	return {
		async turn() {
			const newest = await readPage(db, { afterId: null });
			const older = await readPage(db, { afterId: sweptTo });
			sweptTo = older.length < LEDGER_CHECKED_MAX ? 0 : (older.at(-1)?.id ?? 0);
			const ids = new Set([...newest, ...older].map(({ intentId }) => intentId));
			for (const { intentId } of flawed) ids.add(intentId);
			flawed = (await readLedgerFlaws(db, [...ids])).slice(0, LEDGER_FLAWS_MAX);
			return flawed;
		},
	};
}

/**
 * Compares intents' entries in the spend ledger with the states of the intents; returns those that
 * do not fit. Both are read in one snapshot, and every move of an intent writes both in one
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

/** Reads a page of entries along the primary key: behind an entry, or the newest ones. */
async function readPage(
	db: Queryable,
	{ afterId }: { afterId: number | null },
): Promise<{ id: number; intentId: string }[]> {
	const select = `select id, intent_id as "intentId" from wallets.spend_entry`;
	return afterId === null
		? db.query(`${select} order by id desc limit ${LEDGER_CHECKED_MAX}`)
		: db.query(`${select} where id > $1 order by id limit ${LEDGER_CHECKED_MAX}`, [afterId]);
}
