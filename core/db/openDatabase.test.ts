import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createCopyWriter } from "#core/db/createCopyWriter.ts";
import { type Database, isRefused, type Tx } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { type Log, silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table thing (id int8 primary key, note text)");
	db = open();
});
beforeEach(() => database.db.execute("truncate thing"));
afterAll(async () => {
	await db.close();
	await database.drop();
});

/** Opens one connection: anything that a transaction leaves on it affects the next one. */
function open(log: Log = silentLog): Database {
	const { connectionString } = database;
	return openDatabase({
		connectionString,
		connectionsMax: 1,
		applicationName: "tapeline test",
		log,
	});
}

/** Returns a row of `thing (id)`. */
function idRow(id: number): Buffer {
	const writer = createCopyWriter(32);
	writer.row(1);
	writer.int8(id);
	return writer.take();
}

/** Returns a row with a text in place of the number. */
function refusedRow(): Buffer {
	const writer = createCopyWriter(32);
	writer.row(1);
	writer.text("two");
	return writer.take();
}

const ids = async () =>
	(await db.query<{ id: number }>("select id from thing order by id")).map(({ id }) => id);
const insert = (tx: Tx, id: number) => tx.execute("insert into thing (id) values ($1)", [id]);
const failure = (promise: Promise<unknown>): Promise<{ message?: string; code?: string }> =>
	promise.then(
		() => ({ message: "it did not fail" }),
		(error) => error,
	);

describe("a transaction", () => {
	test("a transaction commits when its function returns, and returns its result", async () => {
		expect(await db.transaction((tx) => insert(tx, 1))).toBe(1);
		expect(await ids()).toEqual([1]);
	});

	test("a transaction rolls back when its function throws, and throws the same error", async () => {
		for (const thrown of [new Error("mine"), "a text", undefined, null]) {
			const caught = await db
				.transaction(async (tx) => {
					await insert(tx, 1);
					throw thrown;
				})
				.catch((error) => ({ error }));
			expect(caught).toEqual({ error: thrown });
		}
		expect(await ids()).toEqual([]);
	});

	test("a transaction runs its last steps before the commit, including those that a last step adds", async () => {
		await db.transaction(async (tx) => {
			tx.beforeCommit(async () => {
				await insert(tx, 2);
				tx.beforeCommit(async () => void (await insert(tx, 3)));
			});
			await insert(tx, 1);
		});
		expect(await ids()).toEqual([1, 2, 3]);
	});

	test("a last step that fails rolls back the transaction, and its hints never run", async () => {
		const hints: string[] = [];
		const failed = await failure(
			db.transaction(async (tx) => {
				tx.afterCommit(() => hints.push("hint"));
				tx.beforeCommit(async () => Promise.reject(new Error("last step")));
				await insert(tx, 1);
			}),
		);
		expect(failed.message).toBe("last step");
		expect({ rows: await ids(), hints }).toEqual({ rows: [], hints: [] });
	});

	test("single-statement last steps are sent together with the commit, and a failing one undoes all", async () => {
		const insertLast = (tx: Tx, id: number) =>
			tx.beforeCommit(async () => void (await insert(tx, id)), { singleStatement: true });
		await db.transaction(async (tx) => {
			insertLast(tx, 1);
			insertLast(tx, 2);
		});
		expect(await ids()).toEqual([1, 2]);
		const failed = await failure(
			db.transaction(async (tx) => {
				insertLast(tx, 3);
				insertLast(tx, 2);
				insertLast(tx, 4);
			}),
		);
		expect(failed.message).toContain("duplicate key");
		expect(isRefused(failed)).toBe(true);
		expect(await ids()).toEqual([1, 2]);
	});

	test("a lock timeout applies to its own transaction, not to the next one", async () => {
		const setting = (tx: Tx) => tx.query<{ lock_timeout: string }>("show lock_timeout");
		const limited = await db.transaction(setting, { lockTimeoutMs: 250 });
		expect(limited).toEqual([{ lock_timeout: "250ms" }]);
		expect(await db.transaction(setting)).toEqual([{ lock_timeout: "0" }]);
	});

	test("a transaction runs its hints after the commit, in order", async () => {
		const seen: string[] = [];
		await db.transaction(async (tx) => {
			tx.afterCommit(() => seen.push("first"));
			tx.afterCommit(() => seen.push("second"));
			tx.beforeCommit(async () => void seen.push("last step"));
		});
		expect(seen).toEqual(["last step", "first", "second"]);
	});

	test("a committed transaction does not fail because a hint throws", async () => {
		const said: string[] = [];
		const own = open({ ...silentLog, error: (message) => said.push(message) });
		const hints: string[] = [];
		await own.transaction(async (tx) => {
			await insert(tx, 1);
			tx.afterCommit(() => {
				throw new Error("a listener's mistake");
			});
			tx.afterCommit(() => hints.push("the next"));
		});
		await own.close();
		expect(await ids()).toEqual([1]);
		expect({ said, hints }).toEqual({
			said: ["a hint after a commit failed"],
			hints: ["the next"],
		});
	});

	test("a transaction in which a failed statement was caught does not count as committed", async () => {
		const hints: string[] = [];
		const failed = await failure(
			db.transaction(async (tx) => {
				tx.afterCommit(() => hints.push("hint"));
				await insert(tx, 1);
				await tx.query("select 1 / 0").catch(() => {});
			}),
		);
		expect(failed.code).toBe("not_committed");
		expect({ rows: await ids(), hints }).toEqual({ rows: [], hints: [] });
	});

	test("a transaction cannot be used after its end, because its connection serves others then", async () => {
		let leaked: Tx | undefined;
		await db.transaction(async (tx) => {
			leaked = tx;
		});
		const tx = leaked as unknown as Tx;
		const uses = [
			() => insert(tx, 9),
			() => tx.query("select 1"),
			() => tx.copy("thing (id)", [idRow(9)]),
		];
		for (const use of uses) {
			expect((await failure(use())).message).toBe("a transaction was used after it ended");
		}
		expect(() => tx.afterCommit(() => {})).toThrow("after it ended");
		expect(await ids()).toEqual([]);
	});

	test("a cut connection fails its transaction only: the process and the pool continue", async () => {
		const failed = await failure(
			db.transaction(async (tx) => {
				const [row] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
				const cut = database.db.query("select pg_terminate_backend($1)", [row?.pid ?? 0]);
				await Promise.all([tx.query("select pg_sleep(60)"), cut]);
			}),
		);
		expect(String(failed.message)).toMatch(/terminat/i);
		expect(await ids()).toEqual([]);
	});

	test("a connection that is cut while idle in a transaction fails that transaction only", async () => {
		const failed = await failure(
			db.transaction(async (tx) => {
				const [row] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
				await database.db.query("select pg_terminate_backend($1, 5000)", [row?.pid ?? 0]);
				await insert(tx, 1);
			}),
		);
		expect(failed.message).not.toBe("it did not fail");
		expect(await ids()).toEqual([]);
	});
});

describe("COPY", () => {
	test("COPY streams rows and counts them, also zero rows", async () => {
		const writer = createCopyWriter(64);
		writer.row(2);
		writer.int8(1);
		writer.text("a");
		writer.row(2);
		writer.int8(2);
		const chunks = [writer.take(), writer.take()];
		writer.text("b");
		chunks.push(writer.take());
		const copied = await db.transaction((tx) => tx.copy("thing (id, note)", chunks));
		expect(copied).toBe(2);
		expect(await db.transaction((tx) => tx.copy("thing (id)", []))).toBe(0);
		expect(await db.query("select id, note from thing order by id")).toEqual([
			{ id: 1, note: "a" },
			{ id: 2, note: "b" },
		]);
	});

	test("COPY asks for its rows one after the other, not all at once", async () => {
		const writer = createCopyWriter(64);
		function* rows() {
			for (let id = 0; id < 50_000; id++) {
				writer.row(2);
				writer.int8(id);
				writer.text("x".repeat(20));
				yield writer.take();
			}
		}
		expect(await db.transaction((tx) => tx.copy("thing (id, note)", rows()))).toBe(50_000);
		const [sums] = await db.query(`select count(distinct id) as rows, max(id) as id,
			min(note) as least, max(note) as most from thing`);
		const note = "x".repeat(20);
		expect(sums).toEqual({ rows: 50_000, id: 49_999, least: note, most: note });
	});

	test("a COPY that waits when its transaction ends stores nothing outside of it", async () => {
		let copied: Promise<unknown> = Promise.resolve();
		const failed = await failure(
			db.transaction(async (tx) => {
				await insert(tx, 1);
				copied = failure(tx.copy("thing (id)", [idRow(2)]));
				throw new Error("given up meanwhile");
			}),
		);
		expect(failed.message).toBe("given up meanwhile");
		expect(await copied).toMatchObject({ message: "a transaction was used after it ended" });
		expect(await ids()).toEqual([]);
	});

	const broken: Record<string, { into: string; rows: Iterable<Uint8Array> }> = {
		"a row the server refuses": { into: "thing (id)", rows: [idRow(1), refusedRow()] },
		"a row that is there already": { into: "thing (id)", rows: [idRow(1), idRow(1)] },
		"a table that is not there": { into: "nothing (id)", rows: [idRow(1)] },
		"a row of other columns": { into: "thing (id, note)", rows: [idRow(1)] },
		"a row that is cut off": { into: "thing (id)", rows: [idRow(1), idRow(2).subarray(0, 2)] },
		"rows in the text format": { into: "thing (id)", rows: [Buffer.from("1\n2\n")] },
		"rows whose making fails": {
			into: "thing (id)",
			rows: (function* () {
				yield idRow(1);
				throw new Error("making failed");
			})(),
		},
		"many rows behind a refused one": {
			into: "thing (id)",
			rows: [refusedRow(), ...Array.from({ length: 20_000 }, (_, id) => idRow(id))],
		},
	};
	for (const [what, { into, rows }] of Object.entries(broken)) {
		test(`COPY fails on ${what}, and its connection serves the next transaction`, async () => {
			const failed = await failure(db.transaction((tx) => tx.copy(into, rows)));
			expect(failed.message).not.toBe("it did not fail");
			expect(await db.transaction((tx) => insert(tx, 5))).toBe(1);
			expect(await ids()).toEqual([5]);
		});
	}
});

describe("values", () => {
	test("values are stored and returned exactly", async () => {
		const [row] = await db.query(
			`select $1::int8 as int8, $2::numeric as numeric, $3::bytea as bytea,
				$4::timestamptz as at, $5::text[] as texts, $6::bytea[] as blobs, $7::text as nothing`,
			[
				Number.MAX_SAFE_INTEGER,
				2n ** 256n - 1n,
				new Uint8Array([0, 255]),
				new Date(1_700_000_000_123),
				['a"b', "c,d", "\\"],
				[new Uint8Array([1]), new Uint8Array([])],
				null,
			],
		);
		expect(row).toEqual({
			int8: Number.MAX_SAFE_INTEGER,
			numeric: (2n ** 256n - 1n).toString(),
			bytea: Buffer.from([0, 255]),
			at: new Date(1_700_000_000_123),
			texts: ['a"b', "c,d", "\\"],
			blobs: [Buffer.from([1]), Buffer.from([])],
			nothing: null,
		});
	});

	test("an int8 above 2^53 is not rounded, and the other rows are still read", async () => {
		const read = await db.query<{ id: unknown }>(
			"select id from unnest('{1,9007199254740993,-9007199254740993,2}'::int8[]) as t (id)",
		);
		expect(read.map(({ id }) => id)).toEqual([1, 9007199254740993n, -9007199254740993n, 2]);
	});

	test("execute returns the number of changed rows", async () => {
		expect(await db.execute("insert into thing (id) values (1), (2)")).toBe(2);
		expect(await db.execute("delete from thing where id = 9")).toBe(0);
	});
});

describe("a query that keeps its plan", () => {
	const text = "select id from thing where id = any($1::int8[]) limit $2";
	const plans = () =>
		db.query<{ generic: number; custom: number; mode: string }>(
			`select generic_plans as generic, custom_plans as custom,
				current_setting('plan_cache_mode') as mode
			from pg_prepared_statements where statement = $1`,
			[text],
		);

	test("such a query is planned once for all values; other queries still use custom plans", async () => {
		await db.transaction((tx) => insert(tx, 1));
		for (let time = 0; time < 8; time++) {
			expect(await db.keepingPlans.query(text, [[1, 2], 5])).toEqual([{ id: 1 }]);
		}
		expect(await plans()).toEqual([{ generic: 8, custom: 0, mode: "auto" }]);
		expect(await db.query(text, [[1], 1])).toEqual([{ id: 1 }]);
		expect(await plans()).toMatchObject([{ generic: 8, custom: 1 }]);
		expect(await db.keepingPlans.execute("update thing set note = $1", ["n"])).toBe(1);
	});

	test("such a query throws the server's error, and the next query is answered", async () => {
		const { code } = await failure(db.keepingPlans.query("select 1 / $1::int4", [0]));
		expect(code).toBe("22012");
		const mode = "select current_setting('plan_cache_mode') as mode";
		expect(await db.query(mode)).toEqual([{ mode: "auto" }]);
		expect(await db.keepingPlans.query("select $1::int4 as one", [1])).toEqual([{ one: 1 }]);
	});
});
