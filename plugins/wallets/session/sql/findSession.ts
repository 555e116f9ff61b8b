import type { Queryable } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import {
	type ProfileRow,
	profileColumns,
	profileOf,
	walletOrder,
	walletsOfProfile,
} from "#plugins/wallets/profile/sql/readProfile.ts";

export type OpenSession = { id: string; profile: Profile; seenAt: Date; signedInAt: Date };

/**
 * The session that a token opens, by the unique index of its hash, and whose it is; null where it
 * has ended.
 */
export async function findSession(
	db: Queryable,
	tokenHash: Uint8Array,
	now: Date,
): Promise<OpenSession | null> {
	const rows = await db.query<ProfileRow & { sessionId: string; seenAt: Date; signedInAt: Date }>(
		`select s.id as "sessionId", s.seen_at as "seenAt",
			coalesce(s.signed_in_at, s.created_at) as "signedInAt", ${profileColumns}
		from wallets.session as s join wallets.profile as p on p.id = s.profile_id ${walletsOfProfile}
		where s.token_hash = $1 and s.revoked_at is null and s.expires_at > $2
		order by ${walletOrder}`,
		[tokenHash, now],
	);
	const [row] = rows;
	const profile = profileOf(rows);
	if (!row || !profile) return null;
	const { sessionId: id, seenAt, signedInAt } = row;
	return { id, seenAt, signedInAt, profile };
}
