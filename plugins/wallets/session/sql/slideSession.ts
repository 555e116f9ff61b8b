import type { Queryable } from "#core/db/Database.ts";

/** Notes that a session was used, and so how long it lasts: never beyond its age limit. */
export async function slideSession(
	db: Queryable,
	session: { id: string; now: Date; idleMs: number; ageMaxMs: number },
): Promise<void> {
	await db.execute(
		`update wallets.session set seen_at = $2, expires_at = least(
			$2::timestamptz + $3 * interval '1 millisecond',
			created_at + $4 * interval '1 millisecond'
		)
		where id = $1 and revoked_at is null and seen_at < $2`,
		[session.id, session.now, session.idleMs, session.ageMaxMs],
	);
}
