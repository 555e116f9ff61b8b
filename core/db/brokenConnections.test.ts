import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseError, Pool } from "pg";
import { brokenConnections } from "#core/db/brokenConnections.ts";
import { AssertionFailed } from "#core/fault/assert.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

test("a pool whose places are all taken for too long counts as one that cannot be reached", async () => {
	const { connectionString } = database;
	const pool = new Pool({ connectionString, max: 1, connectionTimeoutMillis: 1 });
	// A connection that is still closing when the database is dropped is told so.
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

test("what the server answered, and mistakes of ours, are no broken connections", () => {
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
