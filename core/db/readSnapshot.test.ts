import { afterAll, beforeAll, expect, test } from "bun:test";
import { readSnapshot } from "#core/db/readSnapshot.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table public.thing (id int primary key)");
});
afterAll(() => database.drop());

// Guarantee: a reader that compares snapshots never takes old rows for current ones.
test("a snapshot changes with every commit", async () => {
	const { db } = database;
	const count = async () =>
		(await db.query<{ n: number }>("select count(*)::int as n from thing"))[0]?.n;
	let before = await readSnapshot(db);
	for (let id = 1; id <= 20; id += 1) {
		await db.execute("insert into thing values ($1)", [id]);
		const after = await readSnapshot(db);
		expect(after).not.toBe(before);
		before = after;
	}
	await db.transaction(async (tx) => {
		await tx.execute("insert into thing values (21)");
		before = await readSnapshot(db);
		expect(await count()).toBe(20);
	});
	expect(await count()).toBe(21);
	expect(await readSnapshot(db)).not.toBe(before);
});

test("a commit that began before the snapshot, or was numbered after it, changes it too", async () => {
	const { db } = database;
	const began = Promise.withResolvers<void>();
	const end = Promise.withResolvers<void>();
	const long = db.transaction(async (tx) => {
		await tx.execute("insert into thing values (100)");
		began.resolve();
		await end.promise;
	});
	await began.promise;
	const first = await readSnapshot(db);
	await db.execute("insert into thing values (101)");
	const second = await readSnapshot(db);
	end.resolve();
	await long;
	const third = await readSnapshot(db);
	expect(new Set([first, second, third]).size).toBe(3);
});
