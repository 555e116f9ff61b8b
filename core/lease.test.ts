import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { releaseLease, requireLease, takeLease } from "#core/lease.ts";
import { silentLog } from "#core/log.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
	database = await createTestDatabase();
	db = database.db;
});
afterAll(() => database.drop());

let names = 0;
const newName = () => `lane:${++names}`;
const LONG_MS = 600_000;
const take = (name: string, holder: string, durationMs = LONG_MS) =>
	takeLease(db, { name, holder, durationMs });
const expire = (name: string) =>
	db.execute("update core.lease set expires_at = now() - interval '1 second' where name = $1", [
		name,
	]);

test("[ING-09] of many processes that ask simultaneously exactly one gets the lease", async () => {
	const name = newName();
	const taken = await Promise.all(
		Array.from({ length: 20 }, (_, index) => take(name, `p${index}`)),
	);
	expect(taken.filter((lease) => lease !== null)).toEqual([{ name, token: 1 }]);
});

test("[ING-09] of many processes exactly one takes over an expired lease", async () => {
	const name = newName();
	await take(name, "old");
	await expire(name);
	const taken = await Promise.all(
		Array.from({ length: 20 }, (_, index) => take(name, `p${index}`)),
	);
	expect(taken.filter((lease) => lease !== null)).toEqual([{ name, token: 2 }]);
});

test("a holder renews with the same token; each change of the holder raises the token", async () => {
	const name = newName();
	expect(await take(name, "a")).toEqual({ name, token: 1 });
	expect(await take(name, "a")).toEqual({ name, token: 1 });
	expect(await take(name, "b")).toBeNull();
	await expire(name);
	expect(await take(name, "b")).toEqual({ name, token: 2 });
	await expire(name);
	expect(await take(name, "a")).toEqual({ name, token: 3 });
});

test("a released lease can be taken at once, and only its holder can release it", async () => {
	const name = newName();
	await take(name, "a");
	await releaseLease(db, name, "b");
	expect(await take(name, "b")).toBeNull();
	await releaseLease(db, name, "a");
	expect(await take(name, "b")).toEqual({ name, token: 2 });
});

test("a writer whose lease was taken over is refused, even if it still believes to hold it", async () => {
	const name = newName();
	const stale = await take(name, "a");
	await expire(name);
	const fresh = await take(name, "b");
	if (!stale || !fresh) return expect.unreachable();
	const write = (lease: typeof stale) => db.transaction((tx) => requireLease(tx, lease));
	expect(await write(stale).catch((error) => error.code)).toBe("fenced");
	expect(await write(fresh)).toBeUndefined();
});

test("[ING-09] no process takes a lease over between its writer's check and commit", async () => {
	const name = newName();
	const lease = await take(name, "a");
	if (!lease) return expect.unreachable();
	// The writer has stalled past its lease, and nobody has noticed yet.
	await expire(name);
	const order: string[] = [];
	let takeover: Promise<unknown> = Promise.resolve();
	await db.transaction(async (tx) => {
		await requireLease(tx, lease);
		takeover = take(name, "b").then((taken) => order.push(`taken with ${taken?.token}`));
		await Promise.race([isBlocked(name), takeover]);
		tx.beforeCommit(async () => void order.push("committed"));
	});
	await takeover;
	expect(order).toEqual(["committed", "taken with 2"]);
});

test("a lease that was waited for is valid for its whole time from the moment of taking it", async () => {
	const name = newName();
	const lease = await take(name, "a");
	if (!lease) return expect.unreachable();
	await expire(name);
	let takeover: Promise<unknown> = Promise.resolve();
	let committedAt = "";
	await db.transaction(async (tx) => {
		await requireLease(tx, lease);
		takeover = take(name, "b", LONG_MS);
		await isBlocked(name);
		const [row] = await tx.query<{ at: string }>("select clock_timestamp()::text as at");
		committedAt = row?.at ?? "";
	});
	expect(await takeover).toMatchObject({ token: 2 });
	const [row] = await db.query<{ whole: boolean }>(
		`select expires_at >= $2::timestamptz + $3 * interval '1 millisecond' as whole
		from core.lease where name = $1`,
		[name, committedAt, LONG_MS],
	);
	expect(row?.whole).toBe(true);
});

/** Waits until some other connection waits for a lock: PostgreSQL's own word, and no guess. */
async function isBlocked(name: string): Promise<void> {
	for (;;) {
		const rows = await db.query(
			`select from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'
			and query like '%core.lease%'`,
		);
		if (rows.length > 0) return;
		expect(name).toBeString();
	}
}

test("[ING-09] a killed holder is replaced at once, because its connections are closed", async () => {
	const name = newName();
	const session = `tapeline ${crypto.randomUUID()}`;
	const own = openDatabase({
		connectionString: database.connectionString,
		connectionsMax: 1,
		applicationName: session,
		log: silentLog,
	});
	await takeLease(own, { name, holder: "killed", durationMs: LONG_MS, session });
	const other = { name, holder: "other", durationMs: LONG_MS, session: null };
	expect(await takeLease(db, other)).toBeNull();
	await own.close();
	// The server notices by itself that a socket closed; it does so before it answers much else.
	let taken = await takeLease(db, other);
	while (!taken) taken = await takeLease(db, other);
	expect(taken).toEqual({ name, token: 2 });
	// Without a session only time tells.
	expect(await take(name, "third")).toBeNull();
});
