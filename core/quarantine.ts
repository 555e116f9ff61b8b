// Leaves out rows that cannot be read, and takes them back once repaired.

import type { Database, Queryable } from "#core/db/Database.ts";
import { assert, defineFaults } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Job } from "#core/schedule.ts";

/** A table whose rows are read one by one, so that one that cannot be read keeps no other back. */
export type RowSource<Row, Item> = {
	/** The table with its schema: `wallets.submission`. */
	table: string;
	/** Reads rows again by their keys, `$1`, a list of texts. */
	select: string;
	keyOf(row: Row): string;
	/** Throws where the row holds what cannot be so. Pure: it is called again to see a repair. */
	read(row: Row): Item;
};

export type Quarantined = { table: string; count: number; since: Date };

export type DueMark = { table: string; key: string; reason: string; isNew: boolean };

/** Names a source of any kind of rows. */
export type AnySource = RowSource<never, unknown>;

export type ReadRows<Item> = {
	items: Item[];
	/** Keys of rows that are left out, because they cannot be read. */
	unreadable: string[];
};

export const quarantineFault = defineFaults({
	rowUnreadable: {
		status: 503,
		retry: "later",
		public: "A record of this cannot be read now. It is kept, and the operators are told.",
	},
});

const EVERY_MS = 5_000;
const TIMEOUT_MS = 30_000;
/** Rows that are tried again in one turn. */
const CHECKED_MAX = 500;

const REASON_LENGTH_MAX = 500;

/**
 * Parses the fields of a stored row. A value out of range throws, which puts this one row aside and
 * no other: an int8 beyond 2^53 comes from the driver as a bigint, `infinity` as a number.
 */
export const rowField = {
	/** Parses a number that is not negative, and at most `max`. */
	whole(value: unknown, max = Number.MAX_SAFE_INTEGER): number {
		const isWhole = typeof value === "number" && Number.isSafeInteger(value);
		assert(isWhole && value >= 0 && value <= max, `${value} is no number up to ${max}`);
		return value;
	},
	wholeOrNull(value: unknown, max?: number): number | null {
		return value === null ? null : rowField.whole(value, max);
	},
	timeMs(value: unknown): number {
		const isTime = value instanceof Date && Number.isFinite(value.getTime());
		assert(isTime, `${value} is no time`);
		return value.getTime();
	},
	timeMsOrNull(value: unknown): number | null {
		return value === null ? null : rowField.timeMs(value);
	},
};

/**
 * Raises the alarm for rows that cannot be read (one line in the log for each, the gauge
 * `<owner>_quarantined_rows`), and releases those that can be read again: whoever repairs a row has
 * nothing else to do.
 */
export function quarantineJob(given: {
	/** The plugin whose tables these are. */
	owner: string;
	sources: readonly AnySource[];
	db: Database;
	log: Log;
	metrics: Metrics;
}): Job {
	const { owner, sources, db, log, metrics } = given;
	const gauge = metrics.gauge({
		name: `${owner}_quarantined_rows`,
		help: "Rows that cannot be read and are left out until they are repaired, by table.",
		labels: ["table"],
	});
	const tables = sources.map(({ table }) => table);
	return {
		name: `${owner}.quarantine`,
		schedule: { everyMs: EVERY_MS },
		// Each process shows the figure; what one is checking the others leave to it.
		lock: "process",
		timeoutMs: TIMEOUT_MS,
		async run() {
			const due = await takeDue(db, { tables, limit: CHECKED_MAX });
			for (const mark of due) if (mark.isNew) raise(log, mark);
			for (const source of sources) {
				const keys = due.filter(({ table }) => table === source.table).map(({ key }) => key);
				if (keys.length > 0) await release({ db, log }, source, keys);
			}
			const counts = new Map((await readQuarantined(db)).map((one) => [one.table, one.count]));
			for (const table of tables) gauge.set({ table }, counts.get(table) ?? 0);
		},
	};
}

/**
 * Returns how many rows of each table cannot be read, and since when the first of them; none: no
 * entry.
 */
export async function readQuarantined(db: Queryable): Promise<Quarantined[]> {
	return db.query<Quarantined>(
		`select source as table, count(*)::int as count, min(since) as since
		from core.quarantined_row group by source order by source`,
	);
}

/** Deletes the marks of rows that can be read again, or are gone. */
export async function releaseRows(
	db: Queryable,
	{ table, keys }: { table: string; keys: readonly string[] },
): Promise<void> {
	await db.execute("delete from core.quarantined_row where source = $1 and key = any($2)", [
		table,
		keys,
	]);
}

/**
 * Takes marks to be checked now, those first that waited for longest: each turn takes others. What
 * another process is checking is left to it. Along `quarantined_row_check`.
 */
export async function takeDue(
	db: Queryable,
	{ tables, limit }: { tables: readonly string[]; limit: number },
): Promise<DueMark[]> {
	return db.query<DueMark>(
		`with due as (
			select source, key, checked_at from core.quarantined_row where source = any($1)
			order by checked_at nulls first limit $2 for update skip locked
		)
		update core.quarantined_row q set checked_at = now() from due
		where q.source = due.source and q.key = due.key
		returning q.source as table, q.key, q.reason, due.checked_at is null as "isNew"`,
		[tables, limit],
	);
}

/**
 * Reads rows one by one. Those that cannot be read are left out and marked in
 * `core.quarantined_row`, where operators see them and `quarantineJob` looks for their repair; the
 * rest goes on.
 *
 * A transaction marks nothing: it would hold the mark's lock until it ends, and be rolled back with
 * it perhaps. Whoever reads the row outside of one marks it.
 */
export async function readRows<Row, Item>(
	db: Queryable,
	source: RowSource<Row, Item>,
	rows: readonly Row[],
): Promise<ReadRows<Item>> {
	const items: Item[] = [];
	const marks = new Map<string, string>();
	for (const row of rows) {
		try {
			items.push(source.read(row));
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			marks.set(source.keyOf(row), reason.slice(0, REASON_LENGTH_MAX));
		}
	}
	if (marks.size > 0 && !("inTransaction" in db)) await markRows(db, source.table, marks);
	return { items, unreadable: [...marks.keys()] };
}

/** Marks rows as unreadable, each with why. One that is marked already stays as it is. */
export async function markRows(
	db: Queryable,
	table: string,
	reasonsByKey: ReadonlyMap<string, string>,
): Promise<void> {
	await db.execute(
		`insert into core.quarantined_row (source, key, reason, since)
		select $1, key, reason, now() from unnest($2::text[], $3::text[]) as t (key, reason)
		on conflict do nothing`,
		[table, [...reasonsByKey.keys()], [...reasonsByKey.values()]],
	);
}

function raise(log: Log, { table, key, reason }: DueMark): void {
	log.error("a row cannot be read: it is kept, and left out until it is repaired", {
		...{ table, key, reason },
	});
}

async function release(
	{ db, log }: { db: Database; log: Log },
	source: AnySource,
	keys: readonly string[],
): Promise<void> {
	const rows = await db.query<never>(source.select, [keys]);
	const unreadable = new Set(
		rows.filter((row) => !isReadable(source, row)).map((row) => source.keyOf(row)),
	);
	const released = keys.filter((key) => !unreadable.has(key));
	if (released.length === 0) return;
	await releaseRows(db, { table: source.table, keys: released });
	for (const key of released) log.info("a row can be read again", { table: source.table, key });
}

function isReadable(source: AnySource, row: never): boolean {
	try {
		source.read(row);
		return true;
	} catch {
		return false;
	}
}
