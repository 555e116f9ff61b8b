import type { Database, Tx } from "#core/db/Database.ts";
import { PARTITION_YEAR_MAX, PARTITION_YEAR_MIN } from "#plugins/market-index/limits.ts";

/** "part" in ASCII: serialises the making of partitions among processes. */
const PARTITION_LOCK_KEY = 0x70617274;

/** Makes partitions of the event table as months come up. */
export type Partitions = {
	/**
	 * Makes sure that each time has a partition. Runs in a transaction of its own, so it must come
	 * before the caller's transaction touches events.
	 */
	ensure(timesMs: Iterable<number>): Promise<void>;
};

export function partitionsOf(db: Database): Partitions {
	const made = new Set<string>();
	return {
		async ensure(timesMs) {
			const missing = new Set<string>();
			for (const atMs of timesMs) {
				const month = monthOf(atMs);
				if (month !== null && !made.has(month)) missing.add(month);
			}
			for (const month of missing) {
				await db.transaction((tx) => makePartition(tx, month));
				made.add(month);
			}
		},
	};
}

/** `2026_11`; null for times that belong to the default partition. */
function monthOf(atMs: number): string | null {
	const at = new Date(atMs);
	const year = at.getUTCFullYear();
	if (!(year >= PARTITION_YEAR_MIN && year <= PARTITION_YEAR_MAX)) return null;
	return `${year}_${String(at.getUTCMonth() + 1).padStart(2, "0")}`;
}

/**
 * Built beside and then attached: `create table … partition of` would lock every reader of the
 * events out while it waits for the slowest of them.
 */
async function makePartition(tx: Tx, month: string): Promise<void> {
	await tx.execute("select pg_advisory_xact_lock($1)", [PARTITION_LOCK_KEY]);
	const table = `market_index.event_${month}`;
	const found = await tx.query<{ name: string | null }>("select to_regclass($1) as name", [table]);
	if (found[0]?.name) return;
	const [year, number] = month.split("_").map(Number);
	const from = new Date(Date.UTC(year ?? 0, (number ?? 1) - 1)).toISOString();
	const to = new Date(Date.UTC(year ?? 0, number ?? 1)).toISOString();
	await tx.execute(`create table ${table} (like market_index.event including defaults)`);
	await tx.execute(
		`alter table market_index.event attach partition ${table}
		for values from ('${from}') to ('${to}')`,
	);
}
