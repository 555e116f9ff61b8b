// Limits how many intents a profile may ask for.

import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { assert, defineFaults, type Fault } from "#core/fault.ts";
import { SECOND_MS } from "#core/time.ts";

/** Names why an intent is not even recorded. */
export const quotaFault = defineFaults({
	intentQuota: {
		status: 429,
		retry: "later",
		public:
			"You have asked for too many intents in a short time, or for too many that were refused. " +
			"Nothing was recorded.",
		advice: "Wait as long as `retryAfterMs` says, then send it again: nothing was recorded.",
	},
});

/** Limits how many intents a profile may ask for. All of them are kept for ever. */
export type IntentQuota = {
	/** Saved up by who asks for nothing. */
	burst: number;
	perSecond: number;
	/**
	 * The extra charge for a refused intent: it cost its owner nothing, and is kept like the others.
	 */
	refusedCost: number;
};

/** Holds the values of a charge, in the order of the statement's parameters. */
export type QuotaCharge = { profileId: string; at: Date; amount: number; quota: IntentQuota };

/**
 * Builds the SQL of a token bucket for each profile, charged by the statement that records intents:
 * no round trip, and a refused request records nothing.
 */
export const quotaSql = {
	/**
	 * A part that answers a row where there was enough, and then takes it. Its values are five places
	 * from `$first` on.
	 */
	charge({ first, from }: { first: number; from: string }): string {
		const [profile, at, amount, burst, perSecond] = [0, 1, 2, 3, 4].map((n) => `$${first + n}`);
		const saved = `least(${burst}::float8, q.tokens + ${perSecond}::float8
			* greatest(0, extract(epoch from ${at}::timestamptz - q.at))::float8)`;
		return `insert into wallets.intent_quota as q (profile_id, tokens, at)
			select ${profile}::uuid, ${burst}::float8 - ${amount}::float8, ${at}::timestamptz ${from}
			on conflict (profile_id) do update
				set tokens = ${saved} - ${amount}::float8, at = greatest(q.at, ${at}::timestamptz)
				where ${saved} >= ${amount}::float8
			returning profile_id`;
	},
	values({ profileId, at, amount, quota }: QuotaCharge): SqlValue[] {
		return [profileId, at, amount, quota.burst, quota.perSecond];
	},
};

/**
 * Returns what recording is charged with: one for each intent, and one for a row of a plugin's own
 * that comes without any, to the one profile that all of it is of.
 */
export function chargeFor(
	{ settings }: { settings: { quota: IntentQuota } },
	made: {
		intents: readonly { profile: { id: string } }[];
		times: { at: Date };
		profileId: string;
	},
): QuotaCharge {
	const { intents, times, profileId } = made;
	const isOnes = intents.every(({ profile }) => profile.id === profileId);
	assert(isOnes, "what is recorded together is one profile's");
	return { profileId, at: times.at, amount: Math.max(1, intents.length), quota: settings.quota };
}

/**
 * Charges a profile for intents that were refused, in addition to their normal charge; at most one
 * whole burst below zero, so that the wait is never longer than for saving two bursts.
 */
export async function chargeRefused(
	tx: Tx,
	{ profileId, refused, quota }: { profileId: string; refused: number; quota: IntentQuota },
): Promise<void> {
	if (quota.refusedCost === 0) return;
	await tx.execute(
		`update wallets.intent_quota set tokens = greatest(tokens - $2::float8, $3::float8)
		where profile_id = $1`,
		[profileId, refused * quota.refusedCost, -quota.burst],
	);
}

/** Returns the refusal of a charge, with the time after which the same charge would be met. */
export async function quotaRefusal(
	db: Queryable,
	{ profileId, at, amount, quota }: QuotaCharge,
): Promise<Fault> {
	const [row] = await db.query<{ tokens: number; at: Date }>(
		"select tokens, at from wallets.intent_quota where profile_id = $1",
		[profileId],
	);
	const missing = amount - (row?.tokens ?? 0);
	const savedMs = row ? Math.max(0, at.getTime() - row.at.getTime()) : 0;
	const retryAfterMs = Math.ceil((missing / quota.perSecond) * SECOND_MS - savedMs);
	return quotaFault.intentQuota({
		members: { retryAfterMs: Math.max(SECOND_MS, retryAfterMs) },
		meta: { profileId },
	});
}
