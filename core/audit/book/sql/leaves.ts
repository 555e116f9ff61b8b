import type { BookSource, BookWindow } from "#core/audit/book/AuditBook.ts";
import { windowSql } from "#core/audit/book/windowSql.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";

type Place = { book: string; batch: number };

/** A row as it stands in its table. */
export type BookRow = { key: Buffer; hash: Buffer; atMs: number; isLast: boolean };

/** What batches cover, by source: the primary key of `core.audit_batch`. */
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
