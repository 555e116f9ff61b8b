import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { dueTokensJob } from "#plugins/market-index/tokens/dueTokensJob.ts";
import { createTokenLab } from "#plugins/market-index/tokens/testing/tokenLab.ts";
import { tokensChanged } from "#plugins/market-index/tokens/tokensChanged.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("tokens are read when their time has come, and those that cannot be read take nobody's place", async () => {
	const { db } = database;
	const fixture = createMarketFixture(db, [ethereum]);
	const made = createTokenLab(db);
	const ids: number[] = [];
	for (const seed of [1, 2, 3]) {
		const contract = contractOf(0x700 + seed);
		await fixture.seed(ethereum, [mintOf(contract, { tokenId: 1n })]);
		ids.push(await fixture.idOf(ethereum, contract));
	}
	const [excluded = -1, away = -1, due = -1] = ids;
	await db.execute("update market_index.collection set excluded = true where id = $1", [excluded]);
	await db.execute("update market_index.collection set chain_id = 5 where id = $1", [away]);
	await db.execute(
		`insert into market_index.token (collection_id, token_id, next_at)
		select id, 1, '2020-01-01' from market_index.collection`,
	);
	await dueTokensJob(made.context.core).run({ signal: made.lab.signal });
	expect(made.jobs()).toMatchObject([{ payload: { collectionId: due } }]);
});

test("a collection that a fork took away gets no tokens any more", async () => {
	const made = createTokenLab(database.db);
	await tokensChanged(made.context.core, 999_999, [1n]);
	const rows = await database.db.query(
		"select from market_index.token where collection_id = 999999",
	);
	expect(rows).toEqual([]);
});
