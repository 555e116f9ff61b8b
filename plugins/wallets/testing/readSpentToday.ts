import type { Queryable } from "#core/db/Database.ts";
import { spentTodaySql } from "#plugins/wallets/execution/readSituation.ts";

/** Microdollars that a profile reserved since then and did not get back. */
export async function readSpentToday(
	db: Queryable,
	{ profileId, since }: { profileId: string; since: Date },
): Promise<bigint> {
	const rows = await db.query<{ spent: string }>(spentTodaySql({ profile: "$1", since: "$2" }), [
		profileId,
		since,
	]);
	return BigInt(rows[0]?.spent ?? "0");
}
