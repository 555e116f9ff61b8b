import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { faultOf } from "#core/http/faultOf.ts";
import { problemResponse } from "#core/http/problemResponse.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CONTRACT = contractOf(0x100);

let database: TestDatabase;
let fixture: Fixture;
const repaired: number[] = [];

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [mintOf(CONTRACT)]);
});
afterAll(() => database.drop());

function call(path: string, method = "POST"): Promise<Response> {
	const resync = async (id: number) => {
		repaired.push(id);
		return "queued";
	};
	const app = new Elysia()
		.onError(({ error }) => problemResponse(faultOf(error), { requestId: "test" }))
		.use(marketRoutes({ ...fixture, resync }));
	return app.handle(new Request(`http://localhost/v1/nft-market/collections/${path}`, { method }));
}

test("[API-07] a resync without a body is accepted, and says where the sync stands", async () => {
	const response = await call(`${CONTRACT}/resync?chain=ethereum`);
	expect(response.status).toBe(202);
	expect(await response.json()).toEqual({
		slug: CONTRACT,
		chain: "ethereum",
		syncStatus: "queued",
	});
	expect(repaired).toEqual([await fixture.idOf(ethereum, CONTRACT)]);
});

test("[API-07] a collection that nobody knows is repaired by nobody", async () => {
	repaired.length = 0;
	expect((await call("nothing/resync")).status).toBe(404);
	expect((await call(`${CONTRACT}/resync?chain=nowhere`)).status).toBe(422);
	expect(repaired).toEqual([]);
});

test("[MRG-16] detail and candles say that somebody looks; activity and sales do not", async () => {
	fixture.touched.length = 0;
	const id = await fixture.idOf(ethereum, CONTRACT);
	for (const path of ["", "/candles", "/activity", "/sales"])
		await call(`${CONTRACT}${path}`, "GET");
	expect(fixture.touched).toEqual([
		[id, "detail"],
		[id, "candles"],
	]);
});

test("[IDX-02] [MRG-02] a market's floor in USD is at today's rate, else at the last that was known", async () => {
	const market = async () => (await (await call(CONTRACT, "GET")).json()).market;
	expect(await market()).toMatchObject({ floor: null, floor_price_usd: null });
	await database.db.execute(
		"update market_index.collection set floor_native = 2e18, floor_usd = 3000",
	);
	expect(await market()).toMatchObject({ floor: 2, floor_price: 2, floor_price_usd: 3_000 });
	fixture.prices.setEth(2_000);
	expect(await market()).toMatchObject({ floor_price: 2, floor_price_usd: 4_000 });
});
