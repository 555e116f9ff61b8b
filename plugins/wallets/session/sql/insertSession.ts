import type { Tx } from "#core/db/Database.ts";

/** Opens a session, and ends those of the profile that are too many, the longest silent first. */
export async function insertSession(
	tx: Tx,
	session: {
		id: string;
		tokenHash: Uint8Array;
		profileId: string;
		now: Date;
		expiresAt: Date;
		/** When who opens it proved who they are; null: now. */
		signedInAt: Date | null;
	},
	openMax: number,
): Promise<void> {
	const { id, tokenHash, profileId, now, expiresAt, signedInAt } = session;
	await tx.execute(
		`insert into wallets.session
			(id, token_hash, profile_id, created_at, seen_at, expires_at, signed_in_at)
		values ($1, $2, $3, $4, $4, $5, $6)`,
		[id, tokenHash, profileId, now, expiresAt, signedInAt],
	);
	// By `session_profile`; the new one was seen now, so it is never among them.
	await tx.execute(
		`update wallets.session set revoked_at = $2 where id in (
			select id from wallets.session
			where profile_id = $1 and revoked_at is null and expires_at > $2
			order by seen_at desc, created_at desc, id = $4 desc offset $3
		)`,
		[profileId, now, openMax, id],
	);
}
