import { afterAll, beforeAll, expect, test } from "bun:test";
import { alignBookClock } from "#core/audit/book/alignBookClock.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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
