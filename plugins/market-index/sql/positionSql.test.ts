import { afterAll, beforeAll, expect, test } from "bun:test";
import { positionOf } from "#plugins/market-index/event/positionOf.ts";
import { positionSql } from "#plugins/market-index/sql/positionSql.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("the database places events where the applier does, those of a provider too", async () => {
	const blocks = [0, 7, 2 ** 33 - 1];
	const logs = [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 30 - 1, 2 ** 30, 2 ** 30 + 5, 2 ** 31 - 1];
	const subs = [0, 1, 1_023, 1_024, 2 ** 31 - 1];
	const places = blocks.flatMap((blockNumber) =>
		logs.flatMap((logIndex) => subs.map((subIndex) => ({ blockNumber, logIndex, subIndex }))),
	);
	const rows = await database.db.query<{ position: string }>(
		`select ${positionSql}::text as position
		from unnest($1::int8[], $2::int4[], $3::int4[])
			with ordinality as e (block_number, log_index, sub_index, place) order by place`,
		[
			places.map(({ blockNumber }) => blockNumber),
			places.map(({ logIndex }) => logIndex),
			places.map(({ subIndex }) => subIndex),
		],
	);
	expect(rows.map(({ position }) => position)).toEqual(
		places.map((place) => positionOf(place).toString()),
	);
});
