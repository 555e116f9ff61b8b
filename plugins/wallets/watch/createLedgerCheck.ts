import type { Queryable } from "#core/db/Database.ts";
import { type FlawedIntent, readLedgerFlaws } from "#plugins/wallets/watch/readLedgerFlaws.ts";
import { LEDGER_CHECKED_MAX, LEDGER_FLAWS_MAX } from "#plugins/wallets/watch/WaitReason.ts";

/** Checks the spend ledger a part at a time; answers all intents that are known not to fit. */
export type LedgerCheck = { turn(): Promise<readonly FlawedIntent[]> };

/**
 * Each turn checks the intents of the newest entries, of as many older ones, and of what did not
 * fit the last time: the older ones are gone through from the first entry to the last, again and
 * again. So a turn costs the same however large the ledger is. Where it is, is in memory: a restart
 * begins at the first entry again.
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

/** A page of entries along the primary key: behind an entry, or the newest ones. */
async function readPage(
	db: Queryable,
	{ afterId }: { afterId: number | null },
): Promise<{ id: number; intentId: string }[]> {
	const select = `select id, intent_id as "intentId" from wallets.spend_entry`;
	return afterId === null
		? db.query(`${select} order by id desc limit ${LEDGER_CHECKED_MAX}`)
		: db.query(`${select} where id > $1 order by id limit ${LEDGER_CHECKED_MAX}`, [afterId]);
}
