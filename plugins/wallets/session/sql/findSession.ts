import type { Queryable } from "#core/db/Database.ts";

export type OpenSession = { id: string; profileId: string; seenAt: Date };

/** The session that a token opens, by the unique index of its hash; null where it has ended. */
export async function findSession(
	db: Queryable,
	tokenHash: Uint8Array,
	now: Date,
): Promise<OpenSession | null> {
	const rows = await db.query<OpenSession>(
		`select id, profile_id as "profileId", seen_at as "seenAt" from wallets.session
		where token_hash = $1 and revoked_at is null and expires_at > $2`,
		[tokenHash, now],
	);
	return rows[0] ?? null;
}
