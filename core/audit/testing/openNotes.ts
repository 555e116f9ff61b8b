// Opens a database with a table of notes, and seals its rows as a book.

import { sealBook } from "#core/audit/book.ts";
import { type AuditBook, windowSql } from "#core/audit/bookSql.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import type { Tx } from "#core/db/Database.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

/** When the first note of each test is written. */
export const NOTES_FROM_MS = Date.UTC(2026, 10, 21, 12);

const TABLES = ["core.audit_entry", "core.audit_book", "core.audit_batch", "public.note"];

export const noteBook: AuditBook = {
	name: "notes",
	sources: [
		{
			name: "note",
			keyBytes: 8,
			stamp: { table: "public.note", column: "tx" },
			rows: `select int8send(id) as key, at, true as is_last,
					sha256(convert_to(json_build_array(id, text)::text, 'UTF8')) as hash
				from public.note where ${windowSql.has("tx")}`,
			nameOf: (key) => String(key.readBigInt64BE()),
		},
	],
};

export type Notes = Awaited<ReturnType<typeof openNotes>>;

/** Opens a database for the notes of a file's tests; `begin` before each of them. */
export async function openNotes() {
	const database = await createTestDatabase();
	const { db } = database;
	await db.execute(`create table public.note (
		id int8 generated always as identity primary key, text text, at timestamptz not null,
		tx int8 not null default core.book_tx()
	)`);
	await db.execute("create index note_tx on public.note (tx)");
	const clock = { ms: NOTES_FROM_MS, nowMs: () => clock.ms };
	const audit = createAudit({ clock });

	/** Executes statements as somebody who may switch triggers off. */
	const forced = (...statements: string[]) =>
		db.transaction(async (tx) => {
			await tx.execute("set local session_replication_role = replica");
			for (const statement of statements) await tx.execute(statement);
		});

	return {
		...{ database, db, clock, audit, forced },
		/** Deletes all notes and what was sealed of them, and sets the clock back. */
		async begin(): Promise<void> {
			clock.ms = NOTES_FROM_MS;
			await forced(...TABLES.map((table) => `delete from ${table}`));
		},
		write: (texts: readonly string[] = ["a"], by: Pick<Tx, "execute"> = db) =>
			by.execute("insert into public.note (text, at) select t, $2 from unnest($1::text[]) as t", [
				texts,
				new Date(clock.ms),
			]),
		seal: () => sealBook({ db, audit, clock }, noteBook),
	};
}
