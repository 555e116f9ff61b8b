import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";
import { queryIntents } from "#plugins/wallets/intent/queryIntents.ts";

/**
 * Intents with all that stand in a batch with one of them: a batch is judged as a whole, also where
 * its caller names a part, and left out as a whole where one of it cannot be read. Reads
 * `intent_batch`.
 */
export async function readTogether(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	const rows = await rowsTogether(db, ids);
	const { items, unreadable } = await readRows(db, intentRow, rows);
	if (unreadable.length === 0) return items;
	const isUnreadable = new Set(unreadable);
	const broken = new Set(rows.filter(({ id }) => isUnreadable.has(id)).map((row) => row.batch_id));
	return items.filter(({ batchId }) => batchId === null || !broken.has(batchId));
}

async function rowsTogether(db: Queryable, ids: readonly string[]): Promise<IntentRow[]> {
	const [only] = ids;
	if (only !== undefined && ids.length === 1) {
		return db.query<IntentRow>(
			`select ${intentRow.columns} from wallets.intent i
			where i.id = $1 or i.batch_id = (select batch_id from wallets.intent where id = $1)
			order by i.id`,
			[only],
		);
	}
	const rows = await db.query<{ id: string }>(
		`with named as (select id, batch_id from wallets.intent where id = any($1))
		select id from named
		union select i.id from wallets.intent i join named using (batch_id)
		order by id`,
		[ids],
	);
	return queryIntents(
		db,
		rows.map(({ id }) => id),
	);
}
