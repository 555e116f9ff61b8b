// Describes the books that are sealed, and holds the statements and limits of sealing.

import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";

export type BookState = { batch: number; mark: BookMark; sealedAtMs: number };

/** Holds a row as it is in its table now. */
export type BookRow = { key: Buffer; hash: Buffer; atMs: number; isLast: boolean };

type Row = { batch: number; to_tx: number; to_open: string[]; sealed_at: Date };

type Place = { book: string; batch: number };

/**
 * Tables of a plugin whose rows go to the audit chain in batches: hashing each row into the chain
 * by itself would make all writers wait for each other.
 */
export type AuditBook = {
	/** Names the book in each batch's entry; never given again to other tables or columns. */
	name: string;
	sources: readonly BookSource[];
};

/** The rows of one table, as a batch covers them. */
export type BookSource = {
	/** Names the rows for a person, by their table. */
	name: string;
	/** Says how long a key is: all keys of one source are equally long, and sort as bytes. */
	keyBytes: number;
	/**
	 * A statement that answers `key bytea`, `hash bytea`, `at timestamptz` and `is_last boolean` of
	 * each row in a window (`windowSql`): `$1` to `$4`. A row that is not `is_last` was covered
	 * again by a later batch, as it was then: its hash counts for nothing here.
	 */
	rows: string;
	/**
	 * The table and column with the transaction of a row that never changes. Null: rows are found
	 * through others.
	 */
	stamp: { table: string; column: string } | null;
	/** Returns a row's key as a person reads it. */
	nameOf(key: Buffer): string;
};

/**
 * Transactions from one state of the database to a later one: those from `from.tx` to before
 * `to.tx`, without those of `to.open`, which were not over yet, and with those of `from.open`,
 * which had been left out for that.
 */
export type BookWindow = { from: BookMark; to: BookMark };

export type BookMark = { tx: number; open: readonly number[] };

/** The interval of sealing new rows: a row that is newer than this could be changed unnoticed. */
export const SEAL_EVERY_MS = 5_000;
export const SEAL_TIMEOUT_MS = 60_000;
/** Limits the rows of one table in a batch, about: `verify` holds one in memory, 0.5 MB. */
export const BATCH_ROWS_MAX = 5_000;
/** Limits how many open transactions a batch's entry names: an entry has room for 8 KiB. */
export const OPEN_MAX = 200;
/** Says how often an idle book is sealed, which has nothing new: it dates what comes later. */
export const IDLE_SEAL_EVERY_MS = 3_600_000;
/** Calls a row late that claims to be older than the batches before it by more than this. */
export const LATE_AFTER_MS = 3_600_000;
/** Flaws that are named; more are counted. */
export const FLAWS_MAX = 100;

/** Stands below every transaction's number: the first batch of a book begins here. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

const SELECT = `select batch, to_tx, to_open::text[] as to_open, sealed_at
	from core.audit_book where name = $1`;

/**
 * Reads and writes how far each book is sealed: one row a book, whose lock makes sealing serial.
 */
export const bookRows = {
	async begin(tx: Tx, name: string): Promise<void> {
		await tx.execute(
			`insert into core.audit_book (name, batch, to_tx, to_open, sealed_at)
			values ($1, 0, $2, '{}', 'epoch') on conflict do nothing`,
			[name, BEFORE_ALL],
		);
	},
	/**
	 * Locks and returns a book's state; null where the book is new, and while another process is
	 * sealing it.
	 */
	async take(tx: Tx, name: string): Promise<BookState | null> {
		const [row] = await tx.query<Row>(`${SELECT} for update skip locked`, [name]);
		return row ? read(row) : null;
	},
	async find(db: Queryable, name: string): Promise<BookState | null> {
		const [row] = await db.query<Row>(SELECT, [name]);
		return row ? read(row) : null;
	},
	async move(tx: Tx, { name, state }: { name: string; state: BookState }): Promise<void> {
		const { batch, mark, sealedAtMs } = state;
		await tx.execute(
			`update core.audit_book set batch = $2, to_tx = $3, to_open = $4, sealed_at = $5
			where name = $1`,
			[name, batch, mark.tx, mark.open, new Date(sealedAtMs)],
		);
	},
};

/** Makes the parts of the sources' statements that name a window: `$1` to `$4`. */
export const windowSql = {
	values: ({ from, to }: BookWindow): SqlValue[] => [from.tx, from.open, to.tx, to.open],
	/** Returns SQL that tests whether a transaction's number is in the window, by an index on it. */
	has: (tx: string) =>
		`((${tx} >= $1::int8 and ${tx} < $3::int8) or ${tx} = any($2::int8[])) ` +
		`and ${tx} <> all($4::int8[])`,
	/** Returns SQL that tests whether a transaction's number is in a later window. */
	isBehind: (tx: string) => `(${tx} >= $3::int8 or ${tx} = any($4::int8[]))`,
};

/** Writes and reads what batches cover, by source: the primary key of `core.audit_batch`. */
export const leaves = {
	/**
	 * Hashes a window's rows and stores their leaves, in the server: none of them travels. Answers
	 * how many, and their root; null where there are none.
	 */
	async write(
		tx: Tx,
		{ source, place, window }: { source: BookSource; place: Place; window: BookWindow },
	): Promise<{ rows: number; root: string } | null> {
		const [written] = await tx.query<{ bytes: number; root: string }>(
			`insert into core.audit_batch (book, batch, source, leaves)
			select $5, $6, $7, string_agg(key || hash, ''::bytea order by key)
			from (${source.rows}) as covered having count(*) > 0
			returning octet_length(leaves) as bytes, encode(sha256(leaves), 'hex') as root`,
			[...windowSql.values(window), place.book, place.batch, source.name],
		);
		return written ? { rows: written.bytes / (source.keyBytes + 32), root: written.root } : null;
	},
	async read(
		db: Queryable,
		{ source, place }: { source: BookSource; place: Place },
	): Promise<Buffer | null> {
		const [row] = await db.query<{ leaves: Buffer }>(
			"select leaves from core.audit_batch where book = $1 and batch = $2 and source = $3",
			[place.book, place.batch, source.name],
		);
		return row?.leaves ?? null;
	},
	/** A window's rows as they are now, in the order of their keys. */
	rows(db: Queryable, source: BookSource, window: BookWindow): Promise<BookRow[]> {
		return db.query<BookRow>(
			`select key, hash, (extract(epoch from at) * 1000)::float8 as "atMs", is_last as "isLast"
			from (${source.rows}) as covered order by key`,
			windowSql.values(window),
		);
	},
};

/**
 * Returns where a batch that begins at `from` ends: at what is committed now, or earlier where that
 * would be too many rows. Null where it can end nowhere yet.
 *
 * Transactions get their numbers in one order and end in another, so "all below the newest" would
 * miss rows that are committed later. PostgreSQL's snapshot says which numbers are still open: they
 * are left out by name, and are of the next batch. No row is marked, and nobody waits.
 */
export async function readMark(
	db: Queryable,
	{ book, from }: { book: { sources: readonly Pick<BookSource, "stamp">[] }; from: BookMark },
): Promise<{ mark: BookMark; isWhole: boolean } | null> {
	// By the index on the transaction's number, from where the last batch ended.
	const cuts = book.sources.flatMap(({ stamp }) => {
		if (!stamp) return [];
		const { table, column } = stamp;
		return `(select ${column} from ${table} where ${column} >= $1
			order by ${column} offset $2 limit 1)`;
	});
	const [row] = await db.query<{ to: number; open: string[]; cut: number | null }>(
		`select pg_snapshot_xmax(s)::text::int8 + moved as "to",
			array(select (x::text::int8 + moved)::text from pg_snapshot_xip(s) as x order by x) as open,
			least(${cuts.join(", ")}) as cut
		from (select pg_current_snapshot() as s, core.book_tx_offset() as moved) as now`,
		[from.tx, BATCH_ROWS_MAX],
	);
	if (!row) return null;
	const ends = [row.to];
	if (row.cut !== null) ends.push(row.cut + 1);
	const opened = row.open.map(Number);
	const tooMany = opened[OPEN_MAX];
	if (tooMany !== undefined) ends.push(tooMany);
	const tx = Math.min(...ends);
	// A window that would end before it begins has no rows yet.
	if (tx < from.tx) return null;
	return { mark: { tx, open: opened.filter((number) => number < tx) }, isWhole: tx === row.to };
}

function read({ batch, to_tx, to_open, sealed_at }: Row): BookState {
	const mark = { tx: to_tx, open: to_open.map(Number) };
	return { batch, mark, sealedAtMs: sealed_at.getTime() };
}
