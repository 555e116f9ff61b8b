import type { Queryable } from "#core/db/Database.ts";

export const revokeSessions = {
	async byToken(db: Queryable, tokenHash: Uint8Array, now: Date): Promise<void> {
		await db.execute(
			"update wallets.session set revoked_at = $2 where token_hash = $1 and revoked_at is null",
			[tokenHash, now],
		);
	},

	/** All of a profile, by `session_profile`, but the one that asks for it. */
	async othersOf(
		db: Queryable,
		{ profileId, exceptId, now }: { profileId: string; exceptId: string | null; now: Date },
	): Promise<void> {
		await db.execute(
			`update wallets.session set revoked_at = $3
			where profile_id = $1 and revoked_at is null and ($2::uuid is null or id <> $2)`,
			[profileId, exceptId, now],
		);
	},
};
