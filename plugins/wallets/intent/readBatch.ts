import type { Queryable } from "#core/db/Database.ts";
import { quarantineFault } from "#core/quarantine/faults.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";

/**
 * The intents that are judged together with one, itself among them. Throws `row_unreadable` where
 * one of them cannot be read: nobody is shown a part of what they say yes to. Reads `intent_batch`.
 */
export async function readBatch(
	db: Queryable,
	{ id, batchId }: Pick<Intent, "id" | "batchId">,
): Promise<Intent[]> {
	if (batchId === null) return readIntents(db, [id]);
	const rows = await db.query<{ id: string }>(
		"select id from wallets.intent where batch_id = $1 order by id",
		[batchId],
	);
	const intents = await readIntents(
		db,
		rows.map((row) => row.id),
	);
	if (intents.length < rows.length) throw quarantineFault.rowUnreadable({ detail: batchId });
	return intents;
}
