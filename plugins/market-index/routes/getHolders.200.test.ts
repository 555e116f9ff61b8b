import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0x100);
const HOLDERS = 23;

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
let collectionId: number;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(CATS)]);
	collectionId = await fixture.idOf(ethereum, CATS);
	await database.db.execute(
		`insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
		values ($1, 1, $2, 5, 10)`,
		[collectionId, Buffer.from(CATS.slice(2), "hex")],
	);
	// Many hold the same number, so that pages are cut within one.
	await database.db.execute(
		`insert into market_index.holder (set_id, owner, units)
		select set_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 + n % 3
		from market_index.ownership, generate_series(1, ${HOLDERS}) as n`,
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

test("[API-20] who holds it is unknown while the contract's transfers are not all read", async () => {
	expect((await ask(`/collections/${CATS}/holders`)).body).toEqual({
		data: null,
		page: { nextCursor: null, hasMore: false },
	});
});

test("[API-20] [IDX-11] holders come largest first, each once, whatever the page", async () => {
	await database.db.execute("update market_index.ownership set next_block = 11, minted = 60");
	const expected = Array.from({ length: HOLDERS }, (_, index) => ({
		address: contractOf(index + 1),
		units: String(1 + ((index + 1) % 3)),
	})).sort((a, b) => Number(b.units) - Number(a.units) || (a.address < b.address ? -1 : 1));
	for (const limit of [1, 4, 200]) {
		const found: unknown[] = [];
		let cursor = "";
		do {
			const { body } = await ask(`/collections/${CATS}/holders?limit=${limit}${cursor}`);
			found.push(...body.data);
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		expect(found).toEqual(expected);
	}
});
