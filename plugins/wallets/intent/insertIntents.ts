import type { Tx } from "#core/db/Database.ts";
import type { Intent, NewIntent } from "#plugins/wallets/contract.ts";

export type IntentToInsert = NewIntent & { id: string; settings: Record<string, unknown> };

/**
 * Records intents as `created`, and answers them as they then stand. At most 50, the most a batch
 * has.
 */
export async function insertIntents(
	tx: Tx,
	intents: readonly IntentToInsert[],
	times: { at: Date; expiresAt: Date },
): Promise<Intent[]> {
	await tx.execute(
		`insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
			request, settings, batch_id, created_at, changed_at, expires_at)
		select id, kind, profile_id, wallet_id, chain_id, channel, 'created',
			request, settings, batch_id, $10, $10, $11
		from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::int8[], $6::text[],
			$7::jsonb[], $8::jsonb[], $9::uuid[])
			as t (id, kind, profile_id, wallet_id, chain_id, channel, request, settings, batch_id)`,
		[
			intents.map(({ id }) => id),
			intents.map(({ kind }) => kind),
			intents.map(({ profile }) => profile.id),
			intents.map(({ wallet }) => wallet?.id ?? null),
			intents.map(({ chainId }) => chainId),
			intents.map(({ channel }) => channel),
			intents.map(({ request }) => JSON.stringify(request)),
			intents.map(({ settings }) => JSON.stringify(settings)),
			intents.map(({ batchId }) => batchId ?? null),
			times.at,
			times.expiresAt,
		],
	);
	return intents.map((intent) => intentOf(intent, times));
}

/** Nobody else knows it before the commit, so it needs not be read back. */
function intentOf(made: IntentToInsert, { at, expiresAt }: { at: Date; expiresAt: Date }): Intent {
	const { id, kind, chainId, channel, request } = made;
	return {
		...{ id, kind, chainId, channel, request },
		profileId: made.profile.id,
		walletId: made.wallet?.id ?? null,
		status: "created",
		errorCode: null,
		plan: null,
		planHash: null,
		batchId: made.batchId ?? null,
		transactionHash: null,
		createdAtMs: at.getTime(),
		changedAtMs: at.getTime(),
		expiresAtMs: expiresAt.getTime(),
	};
}
