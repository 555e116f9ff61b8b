import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { budgetCases } from "#core/budget/budgetCases.ts";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import type { Queryable } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
beforeEach(() => database.db.execute("truncate core.budget"));
afterAll(() => database.drop());

/** A process, whose clock may be wrong; the server's time is moved with `advance`. */
function process(options: { db?: Queryable; clockMs?: number; timeoutMs?: number } = {}) {
	let aheadMs = 0;
	const lines: string[] = [];
	const startMs = options.clockMs ?? 1_000_000;
	const statements: string[] = [];
	const db = options.db ?? database.db;
	const budget = databaseBudget({
		db: {
			query(text, values) {
				statements.push(text);
				return db.query(text, values);
			},
			execute: db.execute,
		},
		clock: { nowMs: () => startMs + aheadMs },
		log: { ...silentLog, warn: (line) => void lines.push(line) },
		aheadMs: () => aheadMs,
		// What is tested is what the server answers, however long a busy machine takes to.
		timeoutMs: options.timeoutMs ?? 30_000,
	});
	const take = (amount = 1, perWindow = 120) =>
		budget.take("upstream", { amount, perWindow, windowMs: 60_000 });
	const advance = (ms: number) => {
		aheadMs += ms;
	};
	return { budget, take, advance, lines, statements };
}

/** A database that answers when it is told to, or never. */
function broken(how: "fails" | "hangs" | "late" = "fails") {
	const late = Promise.withResolvers<void>();
	const state = { how: how as "fails" | "hangs" | "late" | "works", answerLate: late.resolve };
	const asked = { count: 0 };
	const run = <Answer>(answer: () => Promise<Answer>): Promise<Answer> => {
		asked.count++;
		if (state.how === "works") return answer();
		if (state.how === "hangs") return new Promise(() => {});
		if (state.how === "late") return late.promise.then(answer);
		return Promise.reject(new Error("the database is away"));
	};
	const { db } = database;
	const queryable: Queryable = {
		query: (text, values) => run(() => db.query(text, values)),
		execute: (text, values) => run(() => db.execute(text, values)),
	};
	return { db: queryable, state, asked };
}

budgetCases({
	name: "in the database",
	async make() {
		await database.db.execute("truncate core.budget");
		return process();
	},
});

test("[MRG-08] processes share one window, however wrong their clocks are", async () => {
	const pools = [1, 2, 3].map(() =>
		openDatabase({
			connectionString: database.connectionString,
			connectionsMax: 2,
			applicationName: "budget test",
			log: silentLog,
		}),
	);
	const day = 86_400_000;
	const [one, two, three] = [
		process({ ...(pools[0] && { db: pools[0] }) }),
		process({ ...(pools[1] && { db: pools[1] }), clockMs: 1_000_000 + day }),
		process({ ...(pools[2] && { db: pools[2] }), clockMs: 1_000_000 - day }),
	];
	const answers = await Promise.all(
		Array.from({ length: 241 }, (_, index) => [one, two, three][index % 3]?.take()),
	);
	expect(answers.filter((answer) => answer?.granted)).toHaveLength(120);
	for (const pool of pools) await pool.close();
});

test("a take costs one statement, and a repeated take during a refusal's wait costs none", async () => {
	const { take, statements, advance } = process();
	for (let turn = 0; turn < 3; turn++) expect((await take(1, 3)).granted).toBe(true);
	expect(statements).toHaveLength(3);
	const other = process();
	const refused = await other.take(1, 3);
	expect(refused.granted).toBe(false);
	for (let turn = 0; turn < 20; turn++) expect((await other.take(1, 3)).granted).toBe(false);
	expect(other.statements).toHaveLength(1);
	advance(60_000);
	expect((await take(1, 3)).granted).toBe(true);
});

test("units older than the window leave the row, and a clock set back blocks nobody for long", async () => {
	const { take, advance } = process();
	await take(100);
	advance(61_000);
	await take(1);
	const kept = "select cardinality(taken_at) as units from core.budget";
	expect(await database.db.query(kept)).toEqual([{ units: 1 }]);
	// As if the server's clock had been a day ahead when these were taken.
	await database.db.execute(
		"update core.budget set taken_at = array_fill(taken_at[1] + 86400000, array[120]), " +
			"taken_of = array_fill(''::text, array[120]), paused_until = taken_at[1] + 86400000",
	);
	expect((await process().take(1)).granted).toBe(true);
});

test("a process without the database has a quarter of the budget, minus what it took before", async () => {
	const { db, state } = broken();
	state.how = "works";
	const { take, advance, lines } = process({ db });
	await take(25);
	state.how = "fails";
	expect(await take(6)).toMatchObject({ granted: false, remaining: 5 });
	expect(await take(5)).toMatchObject({ granted: true, remaining: 0 });
	expect((await take(1)).granted).toBe(false);
	expect(lines).toHaveLength(1);
	state.how = "works";
	advance(5_000);
	expect((await take(90)).granted).toBe(true);
});

test("a call that is refused while the database is away may be asked again once it may be back", async () => {
	const { db, state } = broken();
	state.how = "works";
	const { take, advance } = process({ db });
	await take(80);
	state.how = "fails";
	const refused = await take();
	expect(refused.granted).toBe(false);
	expect(refused.retryAfterMs).toBeLessThanOrEqual(5_000);
	state.how = "works";
	advance(refused.retryAfterMs);
	expect((await take()).granted).toBe(true);
});

test("a database that hangs is waited for once, and then not asked again for a while", async () => {
	const { db, asked } = broken("hangs");
	const { take, advance, lines } = process({ db, timeoutMs: 1 });
	const answers = [];
	for (let turn = 0; turn < 40; turn++) answers.push(await take());
	expect(answers.filter(({ granted }) => granted)).toHaveLength(30);
	expect(asked.count).toBe(1);
	expect(lines).toHaveLength(1);
	advance(60_000);
	await take();
	expect(asked.count).toBe(2);
});

test("without the database, shares are quarters too, a pause applies, and a tiny budget still grants", async () => {
	const { db } = broken();
	const { budget, take } = process({ db });
	expect(await take(31)).toMatchObject({ granted: false, retryAfterMs: 1_000 });
	expect((await take(1, 2)).granted).toBe(true);
	const shares = [{ of: "search", perWindow: 8 }];
	const search = () =>
		budget.take("shared", { amount: 1, perWindow: 120, windowMs: 60_000, shares });
	const found = [await search(), await search(), await search()];
	expect(found.map(({ granted }) => granted)).toEqual([true, true, false]);
	await budget.pause("paused", 300_000);
	const terms = { amount: 1, perWindow: 120, windowMs: 60_000 };
	expect(await budget.take("paused", terms)).toMatchObject({ granted: false });
});

test("a pause of one process holds for all", async () => {
	const [one, other] = [process(), process()];
	await one.budget.pause("upstream", 300_000);
	const refused = await other.take();
	expect(refused.granted).toBe(false);
	expect(refused.retryAfterMs).toBeGreaterThan(200_000);
	other.advance(300_000);
	expect((await other.take()).granted).toBe(true);
});

/** How many units the window holds; null where nothing was ever taken. */
async function unitsHeld(): Promise<number | null> {
	const rows = await database.db.query<{ units: number }>(
		"select cardinality(taken_at) as units from core.budget",
	);
	return rows[0]?.units ?? null;
}

test("the database learns of takes made without it, so nobody is granted them again", async () => {
	const { db, state } = broken();
	const one = process({ db });
	expect((await one.take(30)).granted).toBe(true);
	const other = process();
	await other.take(10);
	// Telling fails as well, and is done with the next take that is answered.
	one.advance(5_000);
	expect((await one.take(1)).granted).toBe(false);
	state.how = "works";
	one.advance(5_000);
	expect(await one.take(1)).toMatchObject({ granted: true, remaining: 120 - 30 - 10 - 1 });
	expect(await unitsHeld()).toBe(41);
	await one.take(1);
	expect(await unitsHeld()).toBe(42);
	// Told as old as they are: a minute after they were taken they are nobody's.
	one.advance(50_000);
	expect(await one.take(1)).toMatchObject({ granted: true, remaining: 120 - 3 });
});

test("takes made without the database are recorded with their kinds, oldest first, without expired ones", async () => {
	const { db, state } = broken();
	const { budget, take, advance } = process({ db });
	const shares = [{ of: "search", perWindow: 8 }];
	const search = () =>
		budget.take("upstream", { amount: 1, perWindow: 120, windowMs: 60_000, shares });
	await take(3);
	advance(30_000);
	await search();
	await take(2);
	advance(30_000);
	state.how = "works";
	expect(await take(1)).toMatchObject({ granted: true, remaining: 116 });
	const rows = await database.db.query("select taken_of as kinds from core.budget");
	expect(rows).toEqual([{ kinds: ["search", "", "", ""] }]);
});

test("a grant that arrives late pays for takes made meanwhile, or is returned", async () => {
	const used = broken("late");
	const one = process({ db: used.db, timeoutMs: 1 });
	expect(await one.take(20)).toMatchObject({ granted: true });
	used.state.answerLate();
	while ((await unitsHeld()) !== 20);
	used.state.how = "works";
	one.advance(5_000);
	const unused = broken("late");
	const other = process({ db: unused.db, timeoutMs: 1 });
	// More than it may take alone.
	expect(await other.take(31)).toMatchObject({ granted: false });
	unused.state.how = "works";
	unused.state.answerLate();
	// The take, and what gives it back.
	while (unused.asked.count < 2) await unitsHeld();
	while ((await unitsHeld()) !== 20);
});
