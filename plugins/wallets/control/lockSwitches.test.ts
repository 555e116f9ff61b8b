import { afterAll, beforeAll, expect, test } from "bun:test";
import { lockSwitches } from "#plugins/wallets/control/lockSwitches.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Which locks of the switches somebody holds now. */
const held = () =>
	database.db.query<{ mode: string }>(
		`select mode from pg_locks where locktype = 'advisory' and granted
			and database = (select oid from pg_database where datname = current_database())
		order by mode`,
	);

test("senders hold it together, and let go of it however they end", async () => {
	const failing = database.db.transaction(async (tx) => {
		await lockSwitches(tx, "sender");
		await database.db.transaction(async (other) => {
			await lockSwitches(other, "sender");
			expect(await held()).toEqual([{ mode: "ShareLock" }, { mode: "ShareLock" }]);
		});
		expect(await held()).toEqual([{ mode: "ShareLock" }]);
		throw new Error("the reservation failed");
	});
	expect(await failing.catch((error: Error) => error.message)).toBe("the reservation failed");
	expect(await held()).toEqual([]);
});

test("an operator holds it alone, and lets go of it with the change", async () => {
	await database.db.transaction(async (tx) => {
		await lockSwitches(tx, "operator");
		expect(await held()).toEqual([{ mode: "ExclusiveLock" }]);
	});
	expect(await held()).toEqual([]);
});
