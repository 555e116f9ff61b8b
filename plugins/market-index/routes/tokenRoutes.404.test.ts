import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0xca75);
const HIDDEN = contractOf(0x41d);

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(CATS), saleOf(HIDDEN)]);
	const hidden = await fixture.idOf(ethereum, HIDDEN);
	await database.db.execute("update market_index.collection set excluded = true where id = $1", [
		hidden,
	]);
	await database.db.execute(
		"insert into market_index.token (collection_id, token_id) values ($1, 1)",
		[hidden],
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

async function expectMissing(path: string) {
	const { status, body } = await ask(path);
	expect({ path, status, code: body.code }).toEqual({ path, status: 404, code: "not_found" });
}

test("[API-13] a token without any record, or of an unknown collection, is not found", async () => {
	await expectMissing(`/assets/ethereum/${CATS}/999`);
	await expectMissing(`/assets/ethereum/${contractOf(0x999)}/1`);
	await expectMissing(`/assets/base/${CATS}/1`);
});

test("[API-13] an excluded collection's tokens are not found", async () => {
	await expectMissing(`/assets/ethereum/${HIDDEN}/1`);
});

test("[API-20] traits of an unknown collection are not found", async () => {
	await expectMissing("/collections/nobody/traits");
	await expectMissing(`/collections/${HIDDEN}/traits`);
});
