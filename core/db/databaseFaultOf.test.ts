import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseError } from "pg";
import type { Database } from "#core/db/Database.ts";
import { databaseFaultOf } from "#core/db/databaseFaultOf.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { AssertionFailed } from "#core/fault/assert.ts";
import { Fault } from "#core/fault/Fault.ts";
import { faultOf } from "#core/http/faultOf.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { startTcpProxy, type TcpProxy } from "#test/harness/startTcpProxy.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("a server that is not there is told as ours, by a statement and by a transaction", async () => {
	await proxy.cut();
	const statement = await failure(db.query("select 1"));
	const transaction = await failure(db.transaction((tx) => tx.query("select 1")));
	await proxy.restore();
	expect([told(statement), told(transaction)]).toEqual([ours, ours]);
	expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
});

test("a connection that breaks under a statement is told as ours", async () => {
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

test("a statement that an operator ended, or cancelled, is told as ours", async () => {
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

test("a lock that is not had in time, and a database that is only read, are told as ours", async () => {
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

test("a commit whose answer is lost leaves it open whether it was done", async () => {
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

test("so does one that travels with its last step, and neither is taken for rolled back", async () => {
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

test("a commit that the server refuses is none, and what it says stays what it is", async () => {
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

test("what the server says of itself is ours, and what it says of a statement is not", () => {
	for (const code of SERVERS) expect([code, told(said(code, "ERROR"))]).toEqual([code, ours]);
	for (const code of STATEMENTS) expect([code, told(said(code, "ERROR"))]).toEqual([code, null]);
	for (const code of ["3D000", "28P01", "55000"]) {
		expect([code, told(said(code, "FATAL"))]).toEqual([code, ours]);
		expect([code, told(said(code, "ERROR"))]).toEqual([code, null]);
	}
});

test("mistakes of ours, and what never came from the database, are not told as the database's", async () => {
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
