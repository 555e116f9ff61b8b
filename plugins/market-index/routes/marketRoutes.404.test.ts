import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(contractOf(0x100))]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

test("[API-19] the removed route trover answers 404", async () => {
	for (const path of ["/trover", "/trover?chain=ethereum", "/trover/"]) {
		const { status, body } = await ask(path);
		expect({ status, code: body.code }).toEqual({ status: 404, code: "not_found" });
	}
});

test("[API-06] [API-08] an unknown collection is not found, on every route of a collection", async () => {
	const names = ["nobody", "0x123", contractOf(0x999), "%F0%9F%90%B1", "'%20or%201=1"];
	for (const name of names) {
		for (const tail of ["", "/activity", "/sales", "/candles"]) {
			const { status, body } = await ask(`/collections/${name}${tail}`);
			expect({ name, tail, status, code: body.code }).toEqual({
				name,
				tail,
				status: 404,
				code: "not_found",
			});
		}
	}
	const elsewhere = await ask(`/collections/${contractOf(0x100)}?chain=base`);
	expect(elsewhere.status).toBe(404);
	expect(elsewhere.body.message).toContain("on base");
});
