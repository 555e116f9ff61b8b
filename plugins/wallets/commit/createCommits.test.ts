import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database, Tx } from "#core/db/Database.ts";
import { createCommits } from "#plugins/wallets/commit/createCommits.ts";
import { SHARED_MAX } from "#plugins/wallets/commit/limits.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: who shares a commit with others has what it would have alone, whatever the others do.

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table thing (id text primary key, note text)");
});
afterAll(() => database?.drop());
beforeEach(() => database.db.execute("truncate thing"));

/** A database that counts its transactions. */
function counting() {
	const counted = { transactions: 0 };
	const transaction: Database["transaction"] = (run) => {
		counted.transactions++;
		return database.db.transaction(run);
	};
	return { counted, commits: createCommits({ transaction }) };
}

const insert = (tx: Tx, id: string) => tx.execute("insert into thing (id) values ($1)", [id]);
const stored = async () => {
	const rows = await database.db.query<{ id: string }>("select id from thing order by id");
	return rows.map(({ id }) => id);
};
const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n + 10}`);

test("what comes while others are committed shares commits, and each is answered its own", async () => {
	const { counted, commits } = counting();
	const all = names(40);
	const answers = await Promise.all(
		all.map((id) => commits.together(id, async (tx) => `${id}: ${await insert(tx, id)}`)),
	);
	expect(answers).toEqual(all.map((id) => `${id}: 1`));
	expect(await stored()).toEqual(all);
	// Two that came first, each alone, and then as many as may be in one.
	expect(counted.transactions).toBe(2 + Math.ceil((40 - 2) / SHARED_MAX));
});

test("one that fails fails alone: the others are committed, and nothing is done twice", async () => {
	const { commits } = counting();
	const all = names(12);
	const outcomes = await Promise.allSettled(
		all.map((id, place) =>
			commits.together(id, async (tx) => {
				await insert(tx, id);
				if (place === 5) throw new Error("its own mistake");
				if (place === 7) await tx.query("select 1 / 0");
				return id;
			}),
		),
	);
	const failed = outcomes.flatMap(({ status }, place) => (status === "rejected" ? place : []));
	expect(failed).toEqual([5, 7]);
	expect(await stored()).toEqual(all.filter((_, place) => place !== 5 && place !== 7));
});

test("two of one owner are never under way at once, and run in the order they came", async () => {
	const { commits } = counting();
	let underWay = 0;
	const order: number[] = [];
	const act = (place: number) => async (tx: Tx) => {
		expect(++underWay).toBe(1);
		await tx.query("select pg_sleep(0.002)");
		order.push(place);
		underWay--;
	};
	await Promise.all(Array.from({ length: 8 }, (_, place) => commits.together("anna", act(place))));
	expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("who waits for a row waits alone, and gets it", async () => {
	const { commits } = counting();
	await database.db.execute("insert into thing (id) values ('held')");
	const held = Promise.withResolvers<void>();
	const isHeld = Promise.withResolvers<void>();
	const holder = database.db.transaction(async (tx) => {
		await tx.query("select 1 from thing where id = 'held' for update");
		isHeld.resolve();
		await held.promise;
	});
	await isHeld.promise;
	const add = (id: string) => commits.together(id, (tx) => insert(tx, id));
	// Two that come first, so that it shares its transaction with those that come later.
	const first = ["a1", "a2"].map(add);
	const waits = commits.together("held", (tx) =>
		tx.execute("update thing set note = 'x' where id = 'held'"),
	);
	await Promise.all([...first, ...names(6).map(add)]);
	expect(await stored()).toEqual(["a1", "a2", "held", ...names(6)]);
	held.resolve();
	await holder;
	expect(await waits).toBe(1);
});

test("a commit that was not answered is not repeated", async () => {
	let transactions = 0;
	const gone = new Error("the connection is gone");
	const commits = createCommits({
		async transaction<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> {
			transactions++;
			// It was committed, for all that anybody knows.
			await database.db.transaction(run);
			throw gone;
		},
	});
	const outcomes = await Promise.allSettled(
		names(6).map((id) => commits.together(id, (tx) => insert(tx, id))),
	);
	expect(outcomes.every((one) => one.status === "rejected" && one.reason === gone)).toBe(true);
	expect(transactions).toBe(3);
	expect(await stored()).toEqual(names(6));
});
