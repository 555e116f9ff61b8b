import type { Tx } from "#core/db/Database.ts";
import {
	type IntentTimes,
	type IntentToInsert,
	newIntentRows,
} from "#plugins/wallets/intent/newIntentRows.ts";

export type KeyToTake = {
	profileId: string;
	route: string;
	key: string;
	bodyHash: Uint8Array;
	holder: string;
	session: string;
};

/**
 * Takes a key and records its intents, in one statement: there is never one without the other.
 * False where somebody has the key, and then nothing is written. Whoever comes second waits in here
 * for the first one's transaction.
 */
export async function recordOnce(
	tx: Tx,
	key: KeyToTake,
	made: { intents: readonly IntentToInsert[]; times: IntentTimes },
): Promise<boolean> {
	const recorded = await tx.execute(
		`with taken as (
			insert into wallets.idempotent_answer
				(intent_ids, created_at, profile_id, route, key, body_hash, holder, session)
			values ($1::uuid[], $10::timestamptz, $12, $13, $14, $15, $16, $17)
			on conflict do nothing returning key
		)
		${newIntentRows.insert} where exists (select from taken)`,
		[
			...newIntentRows.values(made.intents, made.times),
			key.profileId,
			key.route,
			key.key,
			key.bodyHash,
			key.holder,
			key.session,
		],
	);
	return recorded > 0;
}
