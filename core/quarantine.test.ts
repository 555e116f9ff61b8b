import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { assert } from "#core/fault.ts";
import { createMetrics } from "#core/metrics.ts";
import {
	quarantineJob,
	type RowSource,
	readQuarantined,
	readRows,
	rowField,
} from "#core/quarantine.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a row that cannot be read is left out, marked until it is repaired, and never lost.

type Thing = { id: number; size: unknown };

const source: RowSource<Thing, number> = {
	table: "public.thing",
	select: "select id, size from thing where id = any($1::int4[])",
	keyOf: ({ id }) => String(id),
	read: ({ size }) => rowField.whole(size),
};

let database: TestDatabase;
const said: string[] = [];
const log = {
	...{ debug() {}, warn() {} },
	info: (text: string, { key }: Record<string, unknown> = {}) => said.push(`${text} ${key}`),
	error: (text: string, { key }: Record<string, unknown> = {}) => said.push(`${text} ${key}`),
};
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute("create table thing (id int4 primary key, size int8)");
});
afterAll(() => database?.drop());
beforeEach(async () => {
	said.length = 0;
	await database.db.execute("truncate thing, core.quarantined_row");
	await database.db.execute("insert into thing values (1, 1), (2, 9007199254740992), (3, -1)");
});

const read = async () => {
	const { db } = database;
	return readRows(db, source, await db.query<Thing>("select id, size from thing order by id"));
};
/** A process that was just started, or that has run for long: it keeps nothing between turns. */
const turn = () => {
	const { db } = database;
	const signal = new AbortController().signal;
	const given = { owner: "things", sources: [source], db, metrics: createMetrics() };
	return quarantineJob({ ...given, log: log as never }).run({ signal });
};

test("readable rows are returned, unreadable ones are listed and marked once, also after several reads", async () => {
	expect(await read()).toEqual({ items: [1], unreadable: ["2", "3"] });
	await read();
	const [mark] = await readQuarantined(database.db);
	expect(mark).toMatchObject({ table: "public.thing", count: 2 });
});

test("the alarm is raised once for each row, also by a restarted process", async () => {
	await read();
	await turn();
	await turn();
	await read();
	await turn();
	expect(said.sort()).toEqual([
		"a row cannot be read: it is kept, and left out until it is repaired 2",
		"a row cannot be read: it is kept, and left out until it is repaired 3",
	]);
});

test("a row that was repaired or deleted is released automatically", async () => {
	await read();
	await turn();
	await database.db.execute("update thing set size = 2 where id = 2");
	await turn();
	expect(await readQuarantined(database.db)).toMatchObject([{ count: 1 }]);
	expect(said.at(-1)).toBe("a row can be read again 2");
	await database.db.execute("delete from thing where id = 3");
	await turn();
	expect(await readQuarantined(database.db)).toEqual([]);
});

test("a read inside a transaction skips the row, and writes no mark", async () => {
	const found = await database.db.transaction(async (tx) => {
		return readRows(tx, source, await tx.query<Thing>("select id, size from thing"));
	});
	expect(found.items).toEqual([1]);
	expect(await readQuarantined(database.db)).toEqual([]);
});

test("marks of another owner's tables are kept", async () => {
	await database.db.execute(
		"insert into core.quarantined_row (source, key, reason, since) values ('other', '1', '', now())",
	);
	await turn();
	expect(await readQuarantined(database.db)).toMatchObject([{ table: "other", count: 1 }]);
	expect(said).toEqual([]);
});

test("a field of a row is in its range, or fails", () => {
	assert(rowField.wholeOrNull(null) === null, "null is unknown");
	expect(rowField.whole(5, 5)).toBe(5);
	expect(rowField.timeMs(new Date(5))).toBe(5);
	for (const bad of [6, -1, 1.5, Number.NaN, 2n, "1", null]) {
		expect(() => rowField.whole(bad, 5)).toThrow();
	}
	for (const bad of [Number.POSITIVE_INFINITY, new Date(Number.NaN), "now", null]) {
		expect(() => rowField.timeMs(bad)).toThrow();
	}
});
