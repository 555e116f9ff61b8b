import type { SqlValue, Tx } from "#core/db/Database.ts";
import type { Intent, NewIntent } from "#plugins/wallets/contract.ts";
import { type QuotaCharge, quotaSql } from "#plugins/wallets/quota/quotaSql.ts";

export type IntentToInsert = NewIntent & {
	id: string;
	settings: Record<string, unknown>;
	/** The step before it: it begins as `waiting`. */
	afterId: string | null;
};
export type IntentTimes = { at: Date; expiresAt: Date };

/** How intents are recorded as `created`: a statement, its values, and what then is there. */
export const newIntentRows = {
	/** Its values are $1 to $12; a `where` may follow. */
	insert: `insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
			request, settings, batch_id, created_at, changed_at, expires_at, after_id)
		select id, kind, profile_id, wallet_id, chain_id, channel,
			case when after_id is null then 'created' else 'waiting' end,
			request, settings, batch_id, $10::timestamptz, $10, $11::timestamptz, after_id
		from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::int8[], $6::text[],
			$7::jsonb[], $8::jsonb[], $9::uuid[], $12::uuid[]) as t (id, kind, profile_id, wallet_id,
				chain_id, channel, request, settings, batch_id, after_id)`,

	values(intents: readonly IntentToInsert[], { at, expiresAt }: IntentTimes): SqlValue[] {
		return [
			intents.map(({ id }) => id),
			intents.map(({ kind }) => kind),
			intents.map(({ profile }) => profile.id),
			intents.map(({ wallet }) => wallet?.id ?? null),
			intents.map(({ chainId }) => chainId),
			intents.map(({ channel }) => channel),
			intents.map(({ request }) => JSON.stringify(request)),
			intents.map(({ settings }) => JSON.stringify(settings)),
			intents.map(({ batchId }) => batchId ?? null),
			at,
			expiresAt,
			intents.map(({ afterId }) => afterId),
		];
	},

	/** Nobody else knows them before the commit, so they need not be read back. */
	read(intents: readonly IntentToInsert[], { at, expiresAt }: IntentTimes): Intent[] {
		return intents.map(({ id, kind, chainId, channel, request, ...more }) => ({
			...{ id, kind, chainId, channel, request },
			profileId: more.profile.id,
			walletId: more.wallet?.id ?? null,
			status: more.afterId === null ? "created" : "waiting",
			errorCode: null,
			plan: null,
			planHash: null,
			batchId: more.batchId ?? null,
			transactionHash: null,
			cancellation: null,
			asks: more.asks ?? false,
			afterId: more.afterId,
			createdAtMs: at.getTime(),
			changedAtMs: at.getTime(),
			expiresAtMs: expiresAt.getTime(),
		}));
	},
};

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
		`with charged as (${quotaSql.charge({ first: 13, from: "" })})
		${newIntentRows.insert} where exists (select from charged)`,
		[...newIntentRows.values(intents, times), ...quotaSql.values(charge)],
	);
	return recorded > 0 ? newIntentRows.read(intents, times) : null;
}
