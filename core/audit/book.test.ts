import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { alignBookClock, type Sealed, sealBook } from "#core/audit/book.ts";
import {
	type AuditBook,
	BATCH_ROWS_MAX,
	IDLE_SEAL_EVERY_MS,
	windowSql,
} from "#core/audit/bookSql.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { Tx } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("alignBookClock", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const align = () => alignBookClock(database.db, { books: [], log: silentLog });
	async function now(): Promise<number> {
		const [row] = await database.db.query<{ now: number }>("select core.book_tx() as now");
		return row?.now ?? 0;
	}

	test("on the server that it was written on nothing is moved", async () => {
		await align();
		const [row] = await database.db.query("select core.book_tx_offset() as moved");
		expect(row).toEqual({ moved: 0 });
	});

	test("numbers go on behind what is sealed where the server counts from anew, also for open connections", async () => {
		const before = await now();
		// As a dump has it that was made on a server which had counted further.
		await database.db.execute(
			`insert into core.audit_book (name, batch, to_tx, to_open, sealed_at)
		values ('notes', 7, $1, '{}', now())`,
			[before + 1_000_000],
		);
		await Promise.all([align(), align(), align()]);
		const moved = await now();
		expect(moved).toBeGreaterThan(before + 1_000_000);
		await align();
		expect((await now()) - moved).toBeLessThan(1_000);
	});
});

describe("sealBook", () => {
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
	beforeEach(async () => {
		nowMs = NOW_MS;
		await database.db.transaction(async (tx) => {
			await tx.execute("set local session_replication_role = replica");
			const tables = ["core.audit_entry", "core.audit_book", "core.audit_batch", "public.note"];
			for (const table of tables) await tx.execute(`delete from ${table}`);
		});
	});
	afterAll(() => database.drop());

	const write = (db: Pick<Tx, "execute">, texts: readonly string[]) =>
		db.execute("insert into public.note (text, at) select t, $2 from unnest($1::text[]) as t", [
			texts,
			new Date(nowMs),
		]);
	const seal = () => sealBook({ db: database.db, audit, clock }, book);

	async function sealAll(): Promise<Sealed[]> {
		const batches = [];
		for (;;) {
			const batch = await seal();
			batches.push(batch);
			if (batch.isWhole) return batches;
		}
	}

	async function verify() {
		const verifier = createBookVerifier(database.db, [book]);
		const verdict = await verifyChain(database.db, { visit: (entry) => verifier.visit(entry) });
		expect(verdict.kind).toBe("whole");
		return verifier.end();
	}

	test("what was written is sealed once, and an idle book adds no entries", async () => {
		await write(database.db, ["a", "b"]);
		expect(await seal()).toEqual({ rows: 2, isWhole: true });
		expect(await seal()).toEqual({ rows: 0, isWhole: true });
		await write(database.db, ["c"]);
		expect(await seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toEqual({ batches: 2, rows: 3, unsealed: 0, flawsTotal: 0, flaws: [] });
	});

	test("a row that is committed after rows with higher numbers were sealed is in the next batch", async () => {
		const other = openDatabase({
			connectionString: database.connectionString,
			connectionsMax: 2,
			applicationName: "tapeline test",
			log: silentLog,
		});
		try {
			// It takes its numbers first, and is committed last.
			await other.transaction(async (tx) => {
				await write(tx, ["slow"]);
				await write(database.db, ["fast"]);
				expect(await seal()).toEqual({ rows: 1, isWhole: true });
				await write(database.db, ["faster"]);
				expect(await seal()).toEqual({ rows: 1, isWhole: true });
				expect(await verify()).toMatchObject({ rows: 2, flawsTotal: 0 });
			});
			expect(await verify()).toMatchObject({ rows: 2, unsealed: 1, flawsTotal: 0 });
			expect(await seal()).toEqual({ rows: 1, isWhole: true });
			expect(await verify()).toMatchObject({ rows: 3, unsealed: 0, flawsTotal: 0 });
		} finally {
			await other.close();
		}
	});

	test("what is rolled back is in no batch", async () => {
		const failing = database.db.transaction(async (tx) => {
			await write(tx, ["lost"]);
			expect(await seal()).toEqual({ rows: 0, isWhole: true });
			throw new Error("not today");
		});
		await failing.catch(() => {});
		await write(database.db, ["kept"]);
		expect(await seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toMatchObject({ rows: 1, unsealed: 0, flawsTotal: 0 });
	});

	test("of many writers and many sealers each row is sealed exactly once", async () => {
		let open = 200;
		const writers = Array.from({ length: 4 }, async () => {
			while (open-- > 0) {
				await database.db
					.transaction(async (tx) => {
						await write(tx, ["x"]);
						await write(tx, ["y"]);
						if (open % 7 === 0) throw new Error("not today");
					})
					.catch(() => {});
			}
		});
		const sealers = Array.from({ length: 2 }, async () => {
			while (open > 0) await seal();
		});
		await Promise.all([...writers, ...sealers]);
		await sealAll();
		const [row] = await database.db.query<{ rows: number }>(
			"select count(*) as rows from public.note",
		);
		expect(await verify()).toMatchObject({ rows: row?.rows, unsealed: 0, flawsTotal: 0 });
	});

	test("a backlog is sealed in batches that fit in memory, and is not taken for late", async () => {
		const texts = Array.from({ length: BATCH_ROWS_MAX - 1 }, (_, at) => `row ${at}`);
		for (let turn = 0; turn < 3; turn++) await write(database.db, texts);
		nowMs += 10 * IDLE_SEAL_EVERY_MS;
		const batches = await sealAll();
		expect(batches.length).toBeGreaterThan(1);
		for (const { rows } of batches) expect(rows).toBeLessThan(2 * BATCH_ROWS_MAX);
		expect(await verify()).toMatchObject({ rows: 3 * texts.length, flawsTotal: 0 });
	});

	test("a sealer that fails in its last step has sealed nothing, and the next one does it", async () => {
		await write(database.db, ["a"]);
		const failing = { append: () => Promise.reject(new Error("not today")) };
		const failed = sealBook({ db: database.db, audit: failing, clock }, book);
		expect(await failed.catch((error: Error) => error.message)).toBe("not today");
		expect(await verify()).toMatchObject({ batches: 0, rows: 0, unsealed: 1, flawsTotal: 0 });
		expect(await seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toMatchObject({ batches: 1, rows: 1, flawsTotal: 0 });
	});

	test("a row that claims to be of a time that was sealed long ago is named", async () => {
		await write(database.db, ["a"]);
		await seal();
		nowMs += IDLE_SEAL_EVERY_MS + 1;
		// Nothing is new: that is sealed as well, so that the time is proved to have been quiet.
		expect(await seal()).toEqual({ rows: 0, isWhole: true });
		nowMs += IDLE_SEAL_EVERY_MS;
		await seal();
		await database.db.execute("insert into public.note (text, at) values ('forged', $1)", [
			new Date(NOW_MS + 1_000),
		]);
		await seal();
		const report = await verify();
		expect(report).toMatchObject({ batches: 4, flawsTotal: 1 });
		expect(report.flaws[0]).toMatchObject({ batch: 4, source: "note", flaw: "late" });
	});
});
