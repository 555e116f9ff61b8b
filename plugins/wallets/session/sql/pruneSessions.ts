import type { Queryable } from "#core/db/Database.ts";

/** Deletes sessions past their time, by `session_expiry`. A revoked one goes when it would end. */
export async function pruneSessions(db: Queryable, now: Date, rowsMax: number): Promise<number> {
	return db.execute(
		`delete from wallets.session where id in (
			select id from wallets.session where expires_at <= $1 order by expires_at limit $2
		)`,
		[now, rowsMax],
	);
}
