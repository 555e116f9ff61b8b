import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DatabaseError, Pool } from "pg";
import {
	brokenConnections,
	type Database,
	databaseFaultOf,
	isRolledBack,
	isRowsRefused,
	isSqlState,
} from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { AssertionFailed, Fault } from "#core/fault.ts";
import { faultOf } from "#core/http/faults.ts";
import { silentLog } from "#core/log.ts";
import { startTcpProxy, type TcpProxy } from "#test/harness/proxies.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("brokenConnections", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());

	test("a pool that stays full for too long counts as an unreachable database", async () => {
		const { connectionString } = database;
		const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: 1 });
		// A connection that is still closing when the database is dropped is told so, and tells the
		// pool.
		pool.on("error", () => {});
		pool.on("connect", (client) => client.on("error", () => {}));
		const taken = await new Promise<{ release(): void }>((resolve) => {
			const connect = (): void => void pool.connect().then(resolve, connect);
			connect();
		});
		const error = await pool.connect().catch((failure: unknown) => failure);
		taken.release();
		await pool.end();
		const late = await pool.connect().catch((failure: unknown) => failure);
		for (const thrown of [error, late]) {
			expect(brokenConnections.has(thrown)).toBe(false);
			brokenConnections.note(thrown);
			expect(brokenConnections.has(thrown)).toBe(true);
		}
	});

	test("a server's answers and our own mistakes are no broken connections", () => {
		const others = [
			new DatabaseError("x", 1, "error"),
			new TypeError("x"),
			new RangeError("x"),
			new AssertionFailed("x"),
			"Connection terminated",
			null,
		];
		for (const error of others) {
			brokenConnections.note(error);
			expect(brokenConnections.has(error)).toBe(false);
		}
	});
});

describe("databaseFaultOf", () => {
	let database: TestDatabase;
	let proxy: TcpProxy;
	let db: Database;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute(
			"create table thing (id int8 primary key deferrable initially deferred)",
		);
		proxy = await startTcpProxy(database.connectionString);
		const { connectionString } = proxy;
		const options = { connectionsMax: 2, applicationName: "tapeline", log: silentLog };
		db = openDatabase({ ...options, connectionString });
	});
	afterAll(async () => {
		await db?.close();
		await proxy?.stop();
		await database?.drop();
	});

	const failure = (asked: Promise<unknown>): Promise<unknown> =>
		asked.then(
			() => null,
			(error: unknown) => error,
		);
	const told = (error: unknown) => {
		const fault = databaseFaultOf(error);
		return fault && [fault.status, fault.code];
	};
	const ours = [503, "database_unavailable"];
	const pidOf = async (asked: Pick<Database, "query">) => {
		const [row] = await asked.query<{ pid: number }>("select pg_backend_pid() as pid");
		return row?.pid ?? 0;
	};

	test("an unreachable server is a database fault, of a statement and of a transaction", async () => {
		await proxy.cut();
		const statement = await failure(db.query("select 1"));
		const transaction = await failure(db.transaction((tx) => tx.query("select 1")));
		await proxy.restore();
		expect([told(statement), told(transaction)]).toEqual([ours, ours]);
		expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
	});

	test("a connection that breaks under a statement is a database fault", async () => {
		const broken = await failure(
			db.transaction(async (tx) => {
				await tx.query("select 1");
				const asked = tx.query("select pg_sleep(60)");
				asked.catch(() => {});
				await proxy.cut();
				await asked;
			}),
		);
		await proxy.restore();
		expect(told(broken)).toEqual(ours);
		expect(broken).not.toBeInstanceOf(Fault);
	});

	test("a statement that an operator ended or cancelled is a database fault", async () => {
		for (const end of ["pg_terminate_backend", "pg_cancel_backend"]) {
			const ended = await failure(
				db.transaction(async (tx) => {
					const pid = await pidOf(tx);
					const sleeping = tx.query("select pg_sleep(60)");
					sleeping.catch(() => {});
					// A statement that does not run yet cannot be cancelled.
					const once = `select ${end}(pid) from pg_stat_activity
					where pid = $1 and wait_event = 'PgSleep'`;
					while ((await database.db.query(once, [pid])).length === 0);
					await sleeping;
				}),
			);
			expect(told(ended)).toEqual(ours);
		}
	});

	test("a lock that comes too late and a read-only database are database faults", async () => {
		const waited = await failure(
			database.db.transaction(async (holding) => {
				await holding.execute("lock table thing");
				await db.transaction((tx) => tx.query("select from thing"), { lockTimeoutMs: 1 });
			}),
		);
		const written = await failure(
			db.transaction(async (tx) => {
				await tx.execute("set transaction read only");
				await tx.execute("insert into thing (id) values (1)");
			}),
		);
		expect([told(waited), told(written)]).toEqual([ours, ours]);
	});

	test("a commit whose answer is lost counts as unknown, not as done or rolled back", async () => {
		const lost = await failure(
			db.transaction(async (tx) => {
				await tx.execute("insert into thing (id) values (7)");
				// The commit and the statements with it: it arrives, but its answer is lost.
				proxy.cutAfter(1);
			}),
		);
		await proxy.restore();
		expect(lost).toMatchObject({ code: "outcome_unknown", status: 503, retry: "later" });
	});

	test("a lost commit sent with its last step is unknown too, and neither counts as rolled back", async () => {
		const lost = await failure(
			db.transaction(async (tx) => {
				await tx.query("select 1");
				const step = async () => void (await tx.execute("insert into thing (id) values (8)"));
				tx.beforeCommit(step, { singleStatement: true });
				proxy.cutAfter(1);
			}),
		);
		await proxy.restore();
		expect(lost).toMatchObject({ code: "outcome_unknown" });
	});

	test("a commit that the server refuses counts as not done, and keeps its error", async () => {
		const refused = await failure(
			db.transaction(async (tx) => {
				await tx.execute("insert into thing (id) values (9), (9)");
			}),
		);
		expect(refused).toBeInstanceOf(DatabaseError);
		expect(told(refused)).toBeNull();
	});

	const SERVERS = ["08006", "53100", "53300", "57014", "57P01", "57P03", "58030", "40001", "40P01"];
	const STATEMENTS = ["23505", "22003", "42P01", "42601", "P0001", "XX000", "25P02"];

	test("errors of the server itself are database faults, and errors of a statement are not", () => {
		for (const code of SERVERS) expect([code, told(said(code, "ERROR"))]).toEqual([code, ours]);
		for (const code of STATEMENTS) expect([code, told(said(code, "ERROR"))]).toEqual([code, null]);
		for (const code of ["3D000", "28P01", "55000"]) {
			expect([code, told(said(code, "FATAL"))]).toEqual([code, ours]);
			expect([code, told(said(code, "ERROR"))]).toEqual([code, null]);
		}
	});

	test("our own mistakes and errors from elsewhere are no database faults", async () => {
		const own = new Error("mine");
		const thrown = await failure(db.transaction(async () => Promise.reject(own)));
		expect(thrown).toBe(own);
		const mistakes = [own, new TypeError("x"), new AssertionFailed("x"), null, "ECONNREFUSED"];
		for (const error of mistakes) expect(databaseFaultOf(error)).toBeNull();
		expect(faultOf(own).code).toBe("internal_error");
	});

	function said(code: string, severity: string): DatabaseError {
		return Object.assign(new DatabaseError("c4n4ry", 6, "error"), { code, severity });
	}
});

describe("isRolledBack", () => {
	test("only a refusal that leaves the connection open proves that a commit was not done", () => {
		const said = (severity: string) =>
			Object.assign(new DatabaseError("x", 1, "error"), { severity });
		expect(isRolledBack(said("ERROR"))).toBe(true);
		for (const error of [said("FATAL"), said("PANIC"), new Error("Connection terminated"), null]) {
			expect(isRolledBack(error)).toBe(false);
		}
	});
});

describe("isRowsRefused", () => {
	const failed = (code: unknown) => Object.assign(new Error("no"), { code });

	test("only errors about the values of rows count as refused rows", () => {
		for (const code of ["22003", "22P02", "23505", "23514"]) {
			expect(isRowsRefused(failed(code))).toBe(true);
		}
		for (const code of ["40P01", "57P01", "55P03", "ECONNRESET", 22_003, undefined]) {
			expect(isRowsRefused(failed(code))).toBe(false);
		}
		expect(isRowsRefused(new Error("no"))).toBe(false);
		expect(isRowsRefused("22003")).toBe(false);
	});
});

describe("isSqlState", () => {
	test("an error is PostgreSQL's with a code, and nothing else is", () => {
		const error = Object.assign(new Error("refused"), { code: "23505" });
		expect(isSqlState(error, "unique_violation")).toBe(true);
		expect(isSqlState(error, "check_violation")).toBe(false);
		for (const other of [new Error("23505"), { code: "23505" }, null, "23505"]) {
			expect(isSqlState(other, "unique_violation")).toBe(false);
		}
	});
});
