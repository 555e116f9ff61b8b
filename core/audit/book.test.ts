import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { alignBookClock, type Sealed, sealBook } from "#core/audit/book.ts";
import { BATCH_ROWS_MAX, IDLE_SEAL_EVERY_MS } from "#core/audit/bookSql.ts";
import { NOTES_FROM_MS, type Notes, noteBook, openNotes } from "#core/audit/testing/openNotes.ts";
import { createBookVerifier } from "#core/audit/verifyBook.ts";
import { verifyChain } from "#core/audit/verifyChain.ts";
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

	test("the book's clock is unchanged on the server on which the book was written", async () => {
		await align();
		const [row] = await database.db.query("select core.book_tx_offset() as moved");
		expect(row).toEqual({ moved: 0 });
	});

	test("on a server that counts transactions from 1, numbers continue after the sealed ones, in open connections too", async () => {
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
	let notes: Notes;
	beforeAll(async () => {
		notes = await openNotes();
	});
	beforeEach(() => notes.begin());
	afterAll(() => notes?.database.drop());

	async function sealAll(): Promise<Sealed[]> {
		const batches = [];
		for (;;) {
			const batch = await notes.seal();
			batches.push(batch);
			if (batch.isWhole) return batches;
		}
	}

	async function verify() {
		const verifier = createBookVerifier(notes.db, [noteBook]);
		const verdict = await verifyChain(notes.db, { visit: (entry) => verifier.visit(entry) });
		expect(verdict.kind).toBe("whole");
		return verifier.end();
	}

	test("each written row is sealed once, and an idle book adds no entries", async () => {
		await notes.write(["a", "b"]);
		expect(await notes.seal()).toEqual({ rows: 2, isWhole: true });
		expect(await notes.seal()).toEqual({ rows: 0, isWhole: true });
		await notes.write(["c"]);
		expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toEqual({ batches: 2, rows: 3, unsealed: 0, flawsTotal: 0, flaws: [] });
	});

	test("a row that is committed after rows with higher numbers were sealed is in the next batch", async () => {
		const other = openDatabase({
			connectionString: notes.database.connectionString,
			connectionsMax: 2,
			applicationName: "tapeline test",
			log: silentLog,
		});
		try {
			// It takes its numbers first, and is committed last.
			await other.transaction(async (tx) => {
				await notes.write(["slow"], tx);
				await notes.write(["fast"]);
				expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
				await notes.write(["faster"]);
				expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
				expect(await verify()).toMatchObject({ rows: 2, flawsTotal: 0 });
			});
			expect(await verify()).toMatchObject({ rows: 2, unsealed: 1, flawsTotal: 0 });
			expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
			expect(await verify()).toMatchObject({ rows: 3, unsealed: 0, flawsTotal: 0 });
		} finally {
			await other.close();
		}
	});

	test("a row that is rolled back is in no batch", async () => {
		const failing = notes.db.transaction(async (tx) => {
			await notes.write(["lost"], tx);
			expect(await notes.seal()).toEqual({ rows: 0, isWhole: true });
			throw new Error("not today");
		});
		await failing.catch(() => {});
		await notes.write(["kept"]);
		expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toMatchObject({ rows: 1, unsealed: 0, flawsTotal: 0 });
	});

	test("each row of many writers is sealed exactly once by many sealers", async () => {
		let open = 200;
		const writers = Array.from({ length: 4 }, async () => {
			while (open-- > 0) {
				await notes.db
					.transaction(async (tx) => {
						await notes.write(["x"], tx);
						await notes.write(["y"], tx);
						if (open % 7 === 0) throw new Error("not today");
					})
					.catch(() => {});
			}
		});
		const sealers = Array.from({ length: 2 }, async () => {
			while (open > 0) await notes.seal();
		});
		await Promise.all([...writers, ...sealers]);
		await sealAll();
		const [row] = await notes.db.query<{ rows: number }>(
			"select count(*) as rows from public.note",
		);
		expect(await verify()).toMatchObject({ rows: row?.rows, unsealed: 0, flawsTotal: 0 });
	});

	test("a backlog is sealed in batches that fit in memory, and its rows are not reported as late", async () => {
		const texts = Array.from({ length: BATCH_ROWS_MAX - 1 }, (_, at) => `row ${at}`);
		for (let turn = 0; turn < 3; turn++) await notes.write(texts);
		notes.clock.ms += 10 * IDLE_SEAL_EVERY_MS;
		const batches = await sealAll();
		expect(batches.length).toBeGreaterThan(1);
		for (const { rows } of batches) expect(rows).toBeLessThan(2 * BATCH_ROWS_MAX);
		expect(await verify()).toMatchObject({ rows: 3 * texts.length, flawsTotal: 0 });
	});

	test("a sealer that fails in its last step seals nothing, and the next sealer seals those rows", async () => {
		await notes.write(["a"]);
		const failing = { append: () => Promise.reject(new Error("not today")) };
		const failed = sealBook({ db: notes.db, audit: failing, clock: notes.clock }, noteBook);
		expect(await failed.catch((error: Error) => error.message)).toBe("not today");
		expect(await verify()).toMatchObject({ batches: 0, rows: 0, unsealed: 1, flawsTotal: 0 });
		expect(await notes.seal()).toEqual({ rows: 1, isWhole: true });
		expect(await verify()).toMatchObject({ batches: 1, rows: 1, flawsTotal: 0 });
	});

	test("a row whose time lies in a period that was sealed long ago is reported", async () => {
		await notes.write(["a"]);
		await notes.seal();
		notes.clock.ms += IDLE_SEAL_EVERY_MS + 1;
		// Nothing is new: that is sealed as well, so that the time is proved to have been quiet.
		expect(await notes.seal()).toEqual({ rows: 0, isWhole: true });
		notes.clock.ms += IDLE_SEAL_EVERY_MS;
		await notes.seal();
		await notes.db.execute("insert into public.note (text, at) values ('forged', $1)", [
			new Date(NOTES_FROM_MS + 1_000),
		]);
		await notes.seal();
		const report = await verify();
		expect(report).toMatchObject({ batches: 4, flawsTotal: 1 });
		expect(report.flaws[0]).toMatchObject({ batch: 4, source: "note", flaw: "late" });
	});
});
