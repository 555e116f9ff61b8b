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

const CATS = contractOf(0xca75);
const BARE = contractOf(0xba7e);
const LONG = "漢".repeat(128);

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;
let fixture: Fixture;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(CATS), saleOf(BARE)]);
	const values = ["Red", "Blue", "", 'O\'Neil."x"', "😀", LONG];
	for (const type of ["Eye", "Hat", LONG]) {
		for (const [index, value] of values.entries()) {
			await database.db.execute(
				`insert into market_index.trait_count
					(collection_id, trait_type, value, tokens, floor_native)
				values ($1, $2, $3, $4, $5)`,
				[
					await fixture.idOf(ethereum, CATS),
					type,
					value,
					index + 1,
					value === "Red" ? 15n * 10n ** 17n : null,
				],
			);
		}
	}
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

type Row = { type: string; value: string; count: number; floorNative: number | null };

test("[API-20] traits have counts and floors, and what has no ask has no floor", async () => {
	const { status, body } = await ask(`/collections/${CATS}/traits?type=Hat`);
	expect(status).toBe(200);
	expect(body.data).toHaveLength(6);
	expect(body.data).toContainEqual({ type: "Hat", value: "Red", count: 1, floorNative: 1.5 });
	expect(body.data).toContainEqual({ type: "Hat", value: "Blue", count: 2, floorNative: null });
	expect(body.page).toEqual({ nextCursor: null, hasMore: false });
});

test("[API-20] page by page every value comes once, however long or odd its text is", async () => {
	const whole = (await ask(`/collections/${CATS}/traits`)).body.data as Row[];
	expect(whole).toHaveLength(18);
	for (const limit of [1, 4, 18]) {
		const seen: Row[] = [];
		let cursor = "";
		do {
			const { body } = await ask(`/collections/${CATS}/traits?limit=${limit}${cursor}`);
			seen.push(...body.data);
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		expect(seen).toEqual(whole);
	}
});

test("[API-20] traits that nobody counted are unknown, and a trait that nobody has has no values", async () => {
	const page = { nextCursor: null, hasMore: false };
	expect((await ask(`/collections/${BARE}/traits`)).body).toEqual({ data: null, page });
	const id = await fixture.idOf(ethereum, CATS);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, traits_at) values ($1, 1, now())
		on conflict (collection_id) do update set traits_at = excluded.traits_at`,
		[id],
	);
	expect((await ask(`/collections/${CATS}/traits?type=Wings`)).body).toEqual({ data: [], page });
});
