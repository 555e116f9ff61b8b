import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseError } from "pg";
import { migrate, readBack, readSnapshot } from "#core/db/migrate.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("migrate", () => {
	const SCHEMA = "shop";
	let database: TestDatabase;
	let root: string;
	beforeAll(async () => {
		database = await createTestDatabase();
		root = mkdtempSync(join(tmpdir(), "tapeline-migrate-"));
	});
	beforeEach(() => database.db.execute(`drop schema if exists ${SCHEMA} cascade`));
	afterAll(async () => {
		rmSync(root, { recursive: true, force: true });
		await database.drop();
	});

	type Step = { when: number; sql: string };

	const first = { when: 100, sql: `create table ${SCHEMA}.a (id int)` };
	const second = { when: 200, sql: `create table ${SCHEMA}.b (id int)` };
	const third = { when: 300, sql: `create table ${SCHEMA}.c (id int)` };

	/** Makes a build that knows these migrations, in drizzle's layout. */
	function build(...steps: Step[]): string {
		const folder = mkdtempSync(join(root, "build-"));
		mkdirSync(join(folder, "meta"));
		const entries = steps.map(({ when, sql }, idx) => {
			const tag = `${String(idx).padStart(4, "0")}_step`;
			writeFileSync(join(folder, `${tag}.sql`), sql);
			return { idx, version: "7", when, tag, breakpoints: true };
		});
		const journal = { version: "7", dialect: "postgresql", entries };
		writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify(journal));
		return folder;
	}

	const run = (folder: string) =>
		migrate(database.connectionString, [{ schema: SCHEMA, folder }], silentLog);
	const code = (promise: Promise<unknown>) =>
		promise.then(
			() => "migrated",
			(error) => error.code,
		);

	async function tables(): Promise<string[]> {
		const rows = await database.db.query<{ name: string }>(
			"select tablename as name from pg_tables where schemaname = $1 and tablename <> 'migrations' order by 1",
			[SCHEMA],
		);
		return rows.map(({ name }) => name);
	}

	test("processes that start simultaneously migrate once, and none of them fails", async () => {
		const folder = build(first, second);
		await Promise.all(Array.from({ length: 6 }, () => run(folder)));
		expect(await tables()).toEqual(["a", "b"]);
	});

	test("a later build applies only the new migrations, and a repeated run changes nothing", async () => {
		await run(build(first));
		await run(build(first, second));
		await run(build(first, second));
		expect(await tables()).toEqual(["a", "b"]);
	});

	test("a database of a newer build is refused by an older build, and not changed", async () => {
		await run(build(first, second));
		expect(await code(run(build(first)))).toBe("schema_too_new");
		expect(await tables()).toEqual(["a", "b"]);
	});

	test("a database of another branch is refused, even with the same number of migrations", async () => {
		await run(build(first, second));
		expect(await code(run(build(first, third)))).toBe("schema_too_new");
		expect(await tables()).toEqual(["a", "b"]);
	});

	test("a migration dated before an applied one is refused, and none after it is applied", async () => {
		await run(build(first, third));
		const fourth = { when: 400, sql: `create table ${SCHEMA}.d (id int)` };
		expect(await code(run(build(first, second, third, fourth)))).toBe("migration_skipped");
		expect(await tables()).toEqual(["a", "c"]);
	});

	test("a new migration is applied where one that is applied has two rows", async () => {
		await run(build(first));
		await database.db.execute(
			`insert into ${SCHEMA}.migrations (hash, created_at)
			select hash, created_at from ${SCHEMA}.migrations`,
		);
		await run(build(first, second));
		expect(await tables()).toEqual(["a", "b"]);
	});

	test("a migration that fails is undone as a whole, and the lock is released", async () => {
		const bad = { when: 200, sql: `create table ${SCHEMA}.b (id int);\n select 1 / 0` };
		expect(await code(run(build(first, bad)))).not.toBe("migrated");
		expect(await tables()).toEqual([]);
		await run(build(first, second));
		expect(await tables()).toEqual(["a", "b"]);
	});

	describe("of several owners", () => {
		const owners = ["shop", "bank", "post"];
		const stepsOf = (schema: string) => [
			{ when: 100, sql: `create table ${schema}.a (id int)\n-- and so it ends` },
			{ when: 200, sql: `create table ${schema}.b (id int)\n--> statement-breakpoint\nselect 1;` },
		];
		const all = (steps = stepsOf) =>
			owners.map((schema) => ({ schema, folder: build(...steps(schema)) }));
		const runAll = (builds: ReturnType<typeof all>) =>
			migrate(database.connectionString, builds, silentLog);
		const schemas = async () => {
			const rows = await database.db.query<{ name: string }>(
				"select schemaname || '.' || tablename as name from pg_tables where schemaname = any($1) order by 1",
				[owners],
			);
			return rows.map(({ name }) => name).filter((name) => !name.endsWith(".migrations"));
		};
		beforeEach(async () => {
			for (const owner of owners)
				await database.db.execute(`drop schema if exists ${owner} cascade`);
		});

		test("an empty database gets all of them, or nothing of any where one fails", async () => {
			const bad = (schema: string) => {
				const steps = stepsOf(schema);
				return schema === "post" ? [...steps, { when: 300, sql: "select 1 / 0" }] : steps;
			};
			expect(await code(runAll(all(bad)))).toBe("22012");
			expect(await schemas()).toEqual([]);
			await runAll(all());
			expect(await schemas()).toEqual(owners.flatMap((one) => [`${one}.a`, `${one}.b`]).sort());
		});

		test("one that is new, or behind, is brought up while the others stay as they are", async () => {
			await runAll(all().slice(0, 2));
			await runAll(all());
			const later = (schema: string) => [
				...stepsOf(schema),
				...(schema === "bank" ? [{ when: 300, sql: "create table bank.c (id int)" }] : []),
			];
			await runAll(all(later));
			expect(await schemas()).toContain("bank.c");
			expect(await schemas()).toHaveLength(7);
		});

		test("each applied migration has a row with its date and the hash of its file", async () => {
			const builds = all();
			await runAll(builds);
			const rows = await database.db.query<{ id: number; hash: string; when: number }>(
				`select id, hash, created_at as "when" from bank.migrations order by id`,
			);
			const file = await Bun.file(join(builds[1]?.folder ?? "", "0000_step.sql")).text();
			const hash = new Bun.CryptoHasher("sha256").update(file).digest("hex");
			expect(rows[0]).toEqual({ id: 1, hash, when: 100 });
			expect(rows.map(({ when }) => when)).toEqual([100, 200]);
		});
	});

	test("the error for a server that does not answer says so", async () => {
		const away = "postgresql://tapeline:c4n4ry@127.0.0.1:1/tapeline";
		const failed = await migrate(away, [], silentLog).catch((error) => error);
		expect(failed).toMatchObject({ code: "database_unreachable", retry: "later" });
		expect(Bun.inspect(failed)).not.toContain("c4n4ry");
	});
});

describe("readBack", () => {
	test("the value that was read is returned, and an error of the read itself is passed on", async () => {
		expect(await readBack(async () => 7)).toBe(7);
		const mistake = new TypeError("mine");
		expect(await readBack(() => Promise.reject(mistake)).catch((error) => error)).toBe(mistake);
	});

	test("the error for a database that fails after the commit does not advise to retry", async () => {
		const away = Object.assign(new DatabaseError("x", 1, "error"), { code: "57P01" });
		const failure = await readBack(() => Promise.reject(away)).catch((error) => error);
		expect(failure).toMatchObject({ code: "outcome_unknown", status: 503, cause: away });
	});
});

describe("readSnapshot", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute("create table public.thing (id int primary key)");
	});
	afterAll(() => database.drop());

	// Guarantee: a reader that compares snapshots never takes old rows for current ones.
	test("every commit changes the snapshot", async () => {
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

	test("a commit that began before the snapshot, or got its number after it, changes it too", async () => {
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
});
