import type { Database } from "#core/db/Database.ts";
import { isSqlState } from "#core/db/isSqlState.ts";
import { PARTITION_LOCK_KEY } from "#plugins/market-index/sql/partitionLockKey.ts";

/**
 * Drops a month's partition; false where readers kept it for the whole wait.
 *
 * Dropping needs a lock that blocks readers of all events, and while it waits for the slowest of
 * them, new ones queue up behind it. So it waits only briefly. (PostgreSQL can detach without this,
 * but refuses it where there is a default partition.) The lock is held for the catalogue's rows
 * alone: files are removed after it is released.
 */
export async function dropMonth(
	db: Database,
	{ table, lockTimeoutMs }: { table: string; lockTimeoutMs: number },
): Promise<boolean> {
	try {
		await db.transaction(async (tx) => {
			await tx.execute(`set local lock_timeout = ${lockTimeoutMs}`);
			await tx.execute("select pg_advisory_xact_lock($1)", [PARTITION_LOCK_KEY]);
			await tx.execute(`drop table ${table}`);
		});
		return true;
	} catch (error) {
		if (isSqlState(error, "lock_not_available")) return false;
		throw error;
	}
}
