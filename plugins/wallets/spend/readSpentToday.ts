import type { Queryable } from "#core/db/Database.ts";

/**
 * Microdollars that a profile reserved since then and did not get back. What was released counts
 * for nothing from the moment it was. Reads the index `spend_of_profile`.
 */
export async function readSpentToday(
	db: Queryable,
	{ profileId, since }: { profileId: string; since: Date },
): Promise<bigint> {
	const rows = await db.query<{ spent: string }>(
		`select coalesce(sum(case
			when kind in ('reserve', 'unrelease') then usd_micros
			when kind = 'release' then -usd_micros
			else 0
		end), 0)::text as spent
		from wallets.spend_entry
		where intent_id in (
			select intent_id from wallets.spend_entry
			where profile_id = $1 and at >= $2 and kind = 'reserve'
		)`,
		[profileId, since],
	);
	return BigInt(rows[0]?.spent ?? "0");
}
