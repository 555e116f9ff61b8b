import type { Tx } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import {
	type IntentTimes,
	type IntentToInsert,
	newIntentRows,
} from "#plugins/wallets/intent/newIntentRows.ts";

/**
 * Records intents as `created`, and answers them as they then stand. At most 50, the most a batch
 * has.
 */
export async function insertIntents(
	tx: Tx,
	intents: readonly IntentToInsert[],
	times: IntentTimes,
): Promise<Intent[]> {
	await tx.execute(newIntentRows.insert, newIntentRows.values(intents, times));
	return newIntentRows.read(intents, times);
}
