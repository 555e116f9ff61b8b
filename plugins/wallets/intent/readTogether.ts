import type { Queryable } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { type IntentRow, intentRow } from "#plugins/wallets/intent/intentRow.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";

/**
 * Intents with all that stand in a batch with one of them: a batch is judged as a whole, also where
 * its caller names a part. Reads `intent_batch`.
 */
export async function readTogether(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	const [only] = ids;
	if (only !== undefined && ids.length === 1) {
		const rows = await db.query<IntentRow>(
			`select ${intentRow.columns} from wallets.intent i
			where i.id = $1 or i.batch_id = (select batch_id from wallets.intent where id = $1)
			order by i.id`,
			[only],
		);
		return rows.map(intentRow.read);
	}
	const rows = await db.query<{ id: string }>(
		`with named as (select id, batch_id from wallets.intent where id = any($1))
		select id from named
		union select i.id from wallets.intent i join named using (batch_id)
		order by id`,
		[ids],
	);
	return readIntents(
		db,
		rows.map(({ id }) => id),
	);
}
