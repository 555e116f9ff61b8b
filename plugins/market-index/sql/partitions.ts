// Makes, lists and drops the months of the event table, and deletes what is not kept.

import { type Database, isSqlState, type Queryable, type Tx } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { PARTITION_YEAR_MAX, PARTITION_YEAR_MIN } from "#plugins/market-index/sql/events.ts";

type StoredMonth = {
	/** The partition, with its schema. */
	table: string;
	/** The first moment after it. */
	endsAtMs: number;
};

/** Makes partitions of the event table as months come up. */
export type Partitions = {
	/**
	 * Makes sure that each time has a partition. Runs in a transaction of its own, so it must come
	 * before the caller's transaction touches events. `ahead` tries once to make the next month's
	 * too, so that at the head no month begins with this work.
	 */
	ensure(timesMs: Iterable<number>, options?: { ahead?: boolean }): Promise<void>;
};

type PartitionsOptions = {
	lockTimeoutMs?: number;
	/**
	 * Months that end before this get no partition: retention would drop it again, and other
	 * processes would not know. Events that backfill still finds there share `event_elsewhere`.
	 */
	keptFromMs?: () => number;
};

/** "part" in ASCII: serializes the making and dropping of partitions among processes. */
const PARTITION_LOCK_KEY = 0x70617274;

/**
 * Attaching waits for readers of `event_elsewhere` (a backup reads for an hour), and until it has
 * its lock every new reader of events waits behind it. So it gives up, and is retried.
 */
const LOCK_TIMEOUT_MS = 5_000;

/** A month that is not needed yet may block readers for no longer than this. */
const AHEAD_LOCK_TIMEOUT_MS = 100;

export function partitionsOf(
	db: Pick<Database, "connectionString">,
	options: PartitionsOptions = {},
): Partitions {
	const { lockTimeoutMs = LOCK_TIMEOUT_MS, keptFromMs = () => Number.NEGATIVE_INFINITY } = options;
	const made = new Set<string>();
	const triedAhead = new Set<string>();
	return {
		async ensure(timesMs, { ahead = false } = {}) {
			const missing = new Set<string>();
			const next = new Set<string>();
			const keptMs = keptFromMs();
			for (const atMs of timesMs) {
				if (monthAfter(atMs) <= keptMs) continue;
				const month = monthOf(atMs);
				if (month !== null && !made.has(month)) missing.add(month);
				const after = ahead ? monthOf(monthAfter(atMs)) : null;
				if (after !== null && !made.has(after) && !triedAhead.has(after)) next.add(after);
			}
			if (missing.size === 0 && next.size === 0) return;
			await withOwnConnection(db, async (own) => {
				const make = async (month: string, timeoutMs: number) => {
					await own
						.transaction((tx) => makePartition(tx, month, timeoutMs))
						.catch((error) => {
							// Its events came while a shorter retention kept it out: `event_elsewhere` has a row
							// of the month that was to be attached, so they go on sharing.
							if (!isSqlState(error, "check_violation")) throw error;
						});
					made.add(month);
				};
				for (const month of missing) await make(month, lockTimeoutMs);
				for (const month of next) {
					triedAhead.add(month);
					// If it is not possible now, its own events will ask for it again.
					if (!made.has(month)) await make(month, AHEAD_LOCK_TIMEOUT_MS).catch(() => {});
				}
			});
		},
	};
}

/** Returns the months of events that have a partition, oldest first. */
export async function listMonths(db: Queryable): Promise<StoredMonth[]> {
	const rows = await db.query<{ name: string }>(
		`select relname as name from pg_inherits join pg_class on oid = inhrelid
		where inhparent = 'market_index.event'::regclass and relname ~ '^event_[0-9]{4}_[0-9]{2}$'
		order by relname`,
	);
	return rows.map(({ name }) => {
		const [year, month] = name.slice("event_".length).split("_").map(Number);
		return { table: `market_index.${name}`, endsAtMs: Date.UTC(year ?? 0, month ?? 0) };
	});
}

/**
 * Drops a month's partition where it is older than events are kept, by the database's time;
 * `read` where readers kept it for the whole wait.
 *
 * Dropping needs a lock that blocks readers of all events, and while it waits for the slowest of
 * them, new ones queue up behind it. So it waits only briefly. (PostgreSQL can detach without this,
 * but refuses it where there is a default partition.) The lock is held for the catalogue's rows
 * alone: files are removed after it is released.
 */
export async function dropMonth(
	db: Database,
	month: StoredMonth & { keptMs: number; lockTimeoutMs: number },
): Promise<"dropped" | "kept" | "read"> {
	const { table, endsAtMs, keptMs, lockTimeoutMs } = month;
	try {
		return await db.transaction(async (tx) => {
			const old = await tx.query(
				"select 1 where $1::timestamptz <= now() - $2 * interval '1 millisecond'",
				[new Date(endsAtMs), keptMs],
			);
			if (old.length === 0) return "kept";
			await tx.execute(`set local lock_timeout = ${lockTimeoutMs}`);
			await tx.execute("select pg_advisory_xact_lock($1)", [PARTITION_LOCK_KEY]);
			await tx.execute(`drop table ${table}`);
			return "dropped";
		});
	} catch (error) {
		if (isSqlState(error, "lock_not_available")) return "read";
		throw error;
	}
}

/**
 * Deletes up to `limit` events that are older than events are kept and have no month of their own,
 * and returns how many. The table is scanned: it is small, and an index on time alone would have no
 * other use.
 */
export async function pruneElsewhere(
	db: Queryable,
	options: { keptMs: number; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.event_elsewhere where ctid = any(array(
			select ctid from market_index.event_elsewhere
			where occurred_at < now() - $1 * interval '1 millisecond' limit $2
		))`,
		[options.keptMs, options.limit],
	);
}

/**
 * Deletes up to `limit` minutes of one chain, by `rollup_minute_recent`: whole days of them, so a
 * candle of 30 minutes has all of its minutes, or does not exist.
 */
export async function pruneMinutes(
	db: Queryable,
	options: { chainId: number; keptMs: number; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.rollup_minute where ctid = any(array(
			select ctid from market_index.rollup_minute
			where chain_id = $1
				and bucket < date_trunc('day', now() - $2 * interval '1 millisecond', 'UTC')
			order by bucket limit $3
		))`,
		[options.chainId, options.keptMs, options.limit],
	);
}

/**
 * Deletes up to `limit` marks of events that are not kept any more, which need none.
 * The table is scanned, once a day, as nothing else reads by its times.
 */
export async function pruneUnconfirmed(
	db: Queryable,
	options: { keptMs: number; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.unconfirmed where ctid = any(array(
			select ctid from market_index.unconfirmed
			where occurred_at < now() - $1 * interval '1 millisecond' limit $2
		))`,
		[options.keptMs, options.limit],
	);
}

function monthAfter(atMs: number): number {
	const at = new Date(atMs);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
}

/** Returns `2026_11`; null for times that belong to the default partition. */
function monthOf(atMs: number): string | null {
	const at = new Date(atMs);
	const year = at.getUTCFullYear();
	if (!(year >= PARTITION_YEAR_MIN && year <= PARTITION_YEAR_MAX)) return null;
	return `${year}_${String(at.getUTCMonth() + 1).padStart(2, "0")}`;
}

/**
 * Opens a connection outside the pool: each lane that asks holds a pooled one in its open
 * transaction, and when a month begins all of them ask at once.
 */
async function withOwnConnection(
	{ connectionString }: Pick<Database, "connectionString">,
	run: (own: Database) => Promise<void>,
): Promise<void> {
	const own = openDatabase({
		connectionString,
		connectionsMax: 1,
		applicationName: "tapeline partitions",
		log: silentLog,
	});
	try {
		await run(own);
	} finally {
		await own.close();
	}
}

/**
 * Makes a table separately and then attaches it: `create table … partition of` would block every
 * reader of the events while it waits for the slowest of them.
 */
async function makePartition(tx: Tx, month: string, lockTimeoutMs: number): Promise<void> {
	await tx.execute(`set local lock_timeout = ${lockTimeoutMs}`);
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
