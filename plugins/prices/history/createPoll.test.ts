import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS } from "#core/time.ts";
import { pruneRoundsJob } from "#plugins/prices/history/createPoll.ts";
import { HISTORY_MS } from "#plugins/prices/limits.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const beganMs = Date.now();

test("rounds that are too old to be kept in memory are deleted, except each feed's newest one", async () => {
	const { db } = database;
	const round = (feed: string, id: number, ageMs: number) =>
		db.execute(
			`insert into prices.round (chain_id, feed, round_id, answer, updated_at)
			values (1, $1, $2, 5, $3)`,
			[Buffer.from(feed), id, new Date(beganMs - ageMs)],
		);
	const gap = (below: number, above: number, isOpen: boolean) =>
		db.execute(
			"insert into prices.gap (chain_id, feed, below, above, is_open) values (1, $1, $2, $3, $4)",
			[Buffer.from("a"), below, above, isOpen],
		);
	await round("a", 1, HISTORY_MS + 2);
	await round("a", 2, HISTORY_MS + 1);
	await round("a", 5, HISTORY_MS - DAY_MS);
	await round("a", 9, 0);
	await round("b", 1, 2 * HISTORY_MS);
	await gap(2, 5, false);
	await gap(5, 9, false);
	await gap(0, 1, true);
	const { signal } = new AbortController();
	await pruneRoundsJob({ db }).run({ signal });
	const rounds = await db.query(
		`select convert_from(feed, 'utf8') || round_id as id from prices.round order by 1`,
	);
	expect(rounds).toEqual([{ id: "a5" }, { id: "a9" }, { id: "b1" }]);
	const gaps = await db.query("select below::int4 from prices.gap order by 1");
	expect(gaps).toEqual([{ below: 0 }, { below: 5 }]);
});
