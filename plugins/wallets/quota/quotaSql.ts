import type { SqlValue } from "#core/db/Database.ts";
import type { IntentQuota } from "#plugins/wallets/quota/IntentQuota.ts";

/** What a charge is made of, in the order of its values. */
export type QuotaCharge = { profileId: string; at: Date; amount: number; quota: IntentQuota };

/**
 * A token bucket of each profile, charged by the statement that records intents: no round trip, and
 * whoever is refused has recorded nothing.
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
