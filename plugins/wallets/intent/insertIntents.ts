import type { Tx } from "#core/db/Database.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import {
	type IntentTimes,
	type IntentToInsert,
	newIntentRows,
} from "#plugins/wallets/intent/newIntentRows.ts";
import { type QuotaCharge, quotaSql } from "#plugins/wallets/quota/quotaSql.ts";

/**
 * Records intents as `created` and charges their profile, in one statement. Answers them as they
 * then stand, or null where the profile's quota does not allow them: then nothing is written. At
 * most 50, the most a batch has.
 */
export async function insertIntents(
	tx: Tx,
	made: { intents: readonly IntentToInsert[]; times: IntentTimes },
	charge: QuotaCharge,
): Promise<Intent[] | null> {
	const { intents, times } = made;
	if (intents.length === 0) {
		const sql = quotaSql.charge({ first: 1, from: "" });
		const charged = await tx.execute(sql, quotaSql.values(charge));
		return charged > 0 ? [] : null;
	}
	const recorded = await tx.execute(
		`with charged as (${quotaSql.charge({ first: 12, from: "" })})
		${newIntentRows.insert} where exists (select from charged)`,
		[...newIntentRows.values(intents, times), ...quotaSql.values(charge)],
	);
	return recorded > 0 ? newIntentRows.read(intents, times) : null;
}
