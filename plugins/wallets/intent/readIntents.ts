import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { intentRow } from "#plugins/wallets/intent/intentRow.ts";
import { queryIntents } from "#plugins/wallets/intent/queryIntents.ts";

/**
 * Intents in the order of their ids here. Left out are those that are not there, and those whose
 * row cannot be read: one must not keep the others from being settled or shown.
 */
export async function readIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
	return (await readRows(db, intentRow, await queryIntents(db, ids))).items;
}
