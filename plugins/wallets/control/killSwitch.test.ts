import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { readKill } from "#plugins/wallets/control/kill.ts";
import {
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

let database: TestDatabase;
let control: ReturnType<typeof openControl>;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
});
beforeEach(async () => {
	await database.db.execute("delete from wallets.control");
	control = openControl(database.db);
});
afterAll(() => database.drop());

const scope = { chainId: 8453, plugin: "nft-buys", walletId: WALLET_ID };

function anotherProcess(): Database {
	return openDatabase({
		connectionString: database.connectionString,
		connectionsMax: 4,
		applicationName: "tapeline test",
		log: silentLog,
	});
}

/** How many wait for a lock of this database's. */
async function waiting(): Promise<number> {
	const [row] = await database.db.query<{ waiting: number }>(
		`select count(*)::int4 as waiting from pg_locks
		where locktype = 'advisory' and not granted
			and database = (select oid from pg_database where datname = current_database())`,
	);
	return row?.waiting ?? 0;
}

/** A sender that has read the switch, and commits when it is told to. */
function sender(db: Database, told: string[], name: string) {
	const asked = Promise.withResolvers<string | null>();
	const go = Promise.withResolvers<void>();
	const committed = db
		.transaction(async (tx) => {
			const kill = await readKill(tx, scope);
			asked.resolve(kill);
			await go.promise;
			return kill;
		})
		.then((kill) => told.push(`${name} committed${kill === null ? "" : `, held by ${kill}`}`));
	return { asked: asked.promise, go: () => go.resolve(), committed };
}

test("[TRD-09] a switch-off waits for senders that read `on`; later ones read `off`", async () => {
	const far = anotherProcess();
	const told: string[] = [];
	try {
		const [first, second] = [sender(database.db, told, "first"), sender(far, told, "second")];
		// Senders do not wait for each other.
		expect(await Promise.all([first.asked, second.asked])).toEqual([null, null]);
		const switched = control.put("kill:all", true).then(() => told.push("switched off"));
		await until(async () => (await waiting()) === 1, "the switch waits for the senders");
		const late = sender(far, told, "late");
		await until(async () => (await waiting()) === 2, "the late sender waits for the switch");
		expect(told).toEqual([]);
		first.go();
		await first.committed;
		expect(await waiting()).toBe(2);
		second.go();
		await Promise.all([second.committed, switched]);
		expect(told.slice(-1)).toEqual(["switched off"]);
		expect(await late.asked).toBe("kill:all");
		late.go();
		await late.committed;
		expect(told).toEqual([
			"first committed",
			"second committed",
			"switched off",
			"late committed, held by kill:all",
		]);
	} finally {
		await far.close();
	}
});

test("[TRD-09] another process reads the switch in its next reservation, as does one that starts later", async () => {
	const far = anotherProcess();
	const ask = (db: Database) => db.transaction((tx) => readKill(tx, scope));
	try {
		expect(await ask(far)).toBeNull();
		await control.put("kill:chain:8453", true);
		expect(await ask(far)).toBe("kill:chain:8453");
	} finally {
		await far.close();
	}
	const restarted = anotherProcess();
	try {
		expect(await ask(restarted)).toBe("kill:chain:8453");
		expect(await openControl(restarted).list()).toMatchObject({
			body: { settings: [{ key: "kill:chain:8453", value: true }] },
		});
	} finally {
		await restarted.close();
	}
});

test("of two simultaneous changes of a switch both are logged, and the later one counts", async () => {
	const begun = (await control.audited()).length;
	await Promise.all([control.put("kill:all", true, "ann"), control.put("kill:all", false, "bob")]);
	const [first, second] = (await control.audited()).slice(begun);
	expect(first?.detail).toMatchObject({ before: null });
	expect(second?.detail).toMatchObject({ before: Reflect.get(Object(first?.detail), "after") });
	const { body } = await control.list();
	expect(body.settings).toMatchObject([
		{ value: Reflect.get(Object(second?.detail), "after"), changedBy: second?.actor },
	]);
});
