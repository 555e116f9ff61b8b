import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0x100);
const BOTH = contractOf(0x101);

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [saleOf(CATS), saleOf(BOTH)]);
	await fixture.seed(base, [saleOf(BOTH)]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const LISTS = ["/collections", "/discover", "/trending"];
const OF_ONE = ["", "/activity", "/sales", "/candles"].map((tail) => `/collections/${CATS}${tail}`);
const PAGED = [...LISTS, ...OF_ONE.slice(1)];

async function expectRefused(path: string, issue: string) {
	const { status, body, headers } = await ask(path);
	expect({ path, status, code: body.code }).toEqual({
		path,
		status: 422,
		code: "validation_error",
	});
	expect(headers.get("content-type")).toBe("application/problem+json");
	expect(body.issues[0].path).toBe(issue);
	expect(body.message.length).toBeGreaterThan(10);
}

test("[API-01] [API-06] [API-08] [API-12] every route refuses a chain that is not indexed", async () => {
	for (const path of [...LISTS, ...OF_ONE]) {
		for (const chain of ["solana", "polygon", "137", "", "%20", "a%27b", "x".repeat(200)]) {
			await expectRefused(`${path}?chain=${chain}`, "chain");
		}
		await expectRefused(`${path}?chain=ethereum&chain=base`, "chain");
	}
	const { body } = await ask("/trending?chain=solana");
	expect(body.message).toContain("Indexed chains: ethereum, base.");
});

test("every list refuses a limit that is not a whole number from 1 to its maximum", async () => {
	const bad = ["0", "-1", "1.5", "1e2", "abc", "", "%20", "0x10", "99999", "1&limit=2", "[1]"];
	for (const path of PAGED) {
		for (const limit of bad) await expectRefused(`${path}?limit=${limit}`, "limit");
		const max = path.endsWith("/candles") ? 500 : 200;
		await expectRefused(`${path}?limit=${max + 1}`, "limit");
		expect((await ask(`${path}?limit=${max}`)).status).toBe(200);
	}
});

test("unknown values of a parameter are refused, with the parameter's name", async () => {
	await expectRefused("/collections?mode=hot", "mode");
	await expectRefused("/collections?scope=world", "scope");
	await expectRefused("/trending?window=2h", "window");
	await expectRefused("/trending?lifecycle=dead", "lifecycle");
	await expectRefused(`/collections/${CATS}/candles?interval=2m`, "interval");
	await expectRefused(`/collections/${CATS}/candles?before=yesterday`, "before");
	await expectRefused(`/collections/${CATS}/candles?before=2026-13-01T00:00:00Z`, "before");
	await expectRefused(`/collections/${CATS}/candles?cursor=abc`, "cursor");
	await expectRefused(`/collections/${CATS}/sales?range=2d`, "range");
	await expectRefused(`/collections/${CATS}/activity?type=burn`, "type");
});

test("an invented cursor is refused and does not give an empty page", async () => {
	for (const tail of ["activity", "sales"]) {
		for (const cursor of ["abc", "MS4x", "%F0%9F%98%80", "x".repeat(300)]) {
			await expectRefused(`/collections/${CATS}/${tail}?cursor=${cursor}`, "cursor");
		}
	}
});

test("[API-06] a slug too long or with control characters is refused", async () => {
	await expectRefused(`/collections/${"x".repeat(129)}`, "slug");
	await expectRefused("/collections/a%09b/sales", "slug");
	await expectRefused("/collections/a%00b/candles", "slug");
});

test("[API-06] a name on several chains requires the chain, on every route of a collection", async () => {
	for (const tail of ["", "/activity", "/sales", "/candles"]) {
		const { status, body } = await ask(`/collections/${BOTH}${tail}`);
		expect({ status, code: body.code }).toEqual({ status: 422, code: "chain_required" });
		expect((await ask(`/collections/${BOTH}${tail}?chain=base`)).status).toBe(200);
	}
});
