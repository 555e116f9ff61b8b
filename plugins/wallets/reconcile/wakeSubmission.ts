import type { Queryable } from "#core/db/Database.ts";

/**
 * Has a submission looked at in the reconciler's next turn, by its primary key. Behind all that is
 * due already, whose `look_at` is earlier, and never later than it was to be looked at anyway.
 *
 * Returns whether that is news: what is final or was never handed over is left alone, as is what is
 * due.
 */
export async function wakeSubmission(
	db: Queryable,
	{ id, at }: { id: string; at: Date },
): Promise<boolean> {
	const woken = await db.execute(
		`update wallets.submission set look_at = $2
		where id = $1 and final_at is null and state <> 'queued' and look_at > $2`,
		[id, at],
	);
	return woken > 0;
}
