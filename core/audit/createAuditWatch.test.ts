import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sealBook } from "#core/audit/book.ts";
import { type AuditBook, windowSql } from "#core/audit/bookSql.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import {
	AUDIT_FRESH_MS,
	createAuditWatch,
	NEWEST_ENTRIES,
	SEALING_BEHIND_AFTER_MS,
} from "#core/audit/createAuditWatch.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: that the audit chain falls behind, or does not fit its rows, does not go unnoticed.

const NOW_MS = Date.UTC(2026, 10, 21, 12);
let nowMs = NOW_MS;
const clock = { nowMs: () => nowMs };
const audit = createAudit({ clock });
const book: AuditBook = {
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

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute(`create table public.note (
		id int8 generated always as identity primary key, text text, at timestamptz not null,
		tx int8 not null default core.book_tx()
	)`);
	await database.db.execute("create index note_tx on public.note (tx)");
});
afterAll(() => database?.drop());
beforeEach(async () => {
	nowMs = NOW_MS;
	await forced(
		...["core.audit_entry", "core.audit_book", "core.audit_batch", "public.note"].map(
			(table) => `delete from ${table}`,
		),
	);
});

/** As somebody who may switch triggers off. */
const forced = (...statements: string[]) =>
	database.db.transaction(async (tx) => {
		await tx.execute("set local session_replication_role = replica");
		for (const statement of statements) await tx.execute(statement);
	});
const write = () =>
	database.db.execute("insert into public.note (text, at) values ('a', $1)", [new Date(nowMs)]);
const seal = () => sealBook({ db: database.db, audit, clock }, book);

function open() {
	const metrics = createMetrics();
	const { db } = database;
	const watch = createAuditWatch({ db, clock, log: silentLog, metrics, books: [book] });
	const signal = new AbortController().signal;
	return {
		async codes(afterMs = AUDIT_FRESH_MS) {
			nowMs += afterMs;
			return (await watch.degraded()).map(({ code }) => code);
		},
		async figures() {
			nowMs += AUDIT_FRESH_MS;
			for (const job of watch.jobs) await job.run({ signal });
			return (await metrics.expose()).body;
		},
	};
}

test("a book whose rows wait for a minute without a batch is named as behind", async () => {
	const { codes, figures } = open();
	await write();
	expect(await codes()).toEqual([]);
	await seal();
	await write();
	expect(await codes(SEALING_BEHIND_AFTER_MS)).toEqual([]);
	expect(await codes(SEALING_BEHIND_AFTER_MS)).toEqual(["audit_sealing_behind"]);
	expect(await figures()).toContain('tapeline_audit_sealing_behind_seconds{book="notes"} 65');
	await seal();
	expect(await codes()).toEqual([]);
	expect(await figures()).toContain('tapeline_audit_sealing_behind_seconds{book="notes"} 0');
});

test("the newest batches are verified: a changed row is found, and is well again when put right", async () => {
	const { codes, figures } = open();
	await write();
	await seal();
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	await database.db.execute("update public.note set text = 'b'");
	expect(await figures()).toContain("tapeline_audit_newest_flaws 1");
	expect(await codes()).toEqual(["audit_broken"]);
	await database.db.execute("update public.note set text = 'a'");
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	expect(await codes()).toEqual([]);
});

test("an entry that was changed is found, in a long chain too", async () => {
	const { figures } = open();
	await database.db.transaction(async (tx) => {
		for (let entry = 0; entry < NEWEST_ENTRIES + 50; entry++) {
			await audit.append(tx, {
				...{ actor: "service:test", action: "note.made", subject: "note:1", detail: {} },
			});
		}
	});
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	await forced(
		"update core.audit_entry set entry = '{}' where seq = (select max(seq) - 100 from core.audit_entry)",
	);
	expect(await figures()).toContain("tapeline_audit_newest_flaws 1");
});

test("an empty chain is whole", async () => {
	const { codes, figures } = open();
	expect(await figures()).toContain("tapeline_audit_newest_flaws 0");
	expect(await codes()).toEqual([]);
});
