import type { Tx } from "#core/db/Database.ts";
import {
	type IntentTimes,
	type IntentToInsert,
	newIntentRows,
} from "#plugins/wallets/intent/newIntentRows.ts";
import { type QuotaCharge, quotaSql } from "#plugins/wallets/quota/quotaSql.ts";

export type KeyToTake = {
	profileId: string;
	route: string;
	key: string;
	bodyHash: Uint8Array;
	holder: string;
	session: string;
	/** The plugin's own row that goes with the key; null where there is none. */
	recordId: string | null;
};

/** `over_quota`: nobody has the key, and its owner's quota does not allow the intents. */
export type OnceRecord = "recorded" | "key_taken" | "over_quota";

/**
 * Takes a key, charges its owner's quota and records its intents, in one statement: there is never
 * one without the others. Where somebody has the key nothing is written, or charged. Whoever comes
 * second waits in here for the first one's transaction.
 */
export async function recordOnce(
	tx: Tx,
	key: KeyToTake,
	given: { made: { intents: readonly IntentToInsert[]; times: IntentTimes }; charge: QuotaCharge },
): Promise<OnceRecord> {
	const { made, charge } = given;
	const [row] = await tx.query<{ fresh: boolean; charged: boolean; recorded: boolean }>(
		`with fresh as (
			select 1 where not exists (
				select from wallets.idempotent_answer where profile_id = $13 and route = $14 and key = $15
			)
		), charged as (
			${quotaSql.charge({ first: 19, from: "from fresh" })}
		), taken as (
			insert into wallets.idempotent_answer
				(intent_ids, created_at, profile_id, route, key, body_hash, holder, session, record_id)
			select $1::uuid[], $10::timestamptz, $13::uuid, $14::text, $15::text, $16::bytea, $17::text,
				$18::text, $24::uuid
			from charged on conflict do nothing returning key
		), made as (
			${newIntentRows.insert} where exists (select from taken) returning id
		)
		select exists (select from fresh) as fresh, exists (select from charged) as charged,
			exists (select from taken) as recorded`,
		[
			...newIntentRows.values(made.intents, made.times),
			key.profileId,
			key.route,
			key.key,
			key.bodyHash,
			key.holder,
			key.session,
			...quotaSql.values(charge),
			key.recordId,
		],
	);
	if (row?.recorded) return "recorded";
	return row?.fresh && !row.charged ? "over_quota" : "key_taken";
}
