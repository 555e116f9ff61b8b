import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a filter that cannot be read, or that nothing can pass, is refused by its name: an
// empty list would look like an answer.

const CATS = contractOf(0xca75);

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum]);
	await fixture.seed(ethereum, [saleOf(CATS)]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

async function expectRefused(path: string, issue: string) {
	const { status, body } = await ask(path);
	expect({ path, status, code: body.code, at: body.issues?.[0]?.path }).toEqual({
		path,
		status: 422,
		code: "validation_error",
		at: issue,
	});
	expect(body.message.length).toBeGreaterThan(20);
}

const traitsOf = (value: unknown) => `traits=${encodeURIComponent(JSON.stringify(value))}`;

test("traits that are no JSON list of types and values are refused", async () => {
	const pair = { type: "Hat", value: "Red" };
	for (const value of [
		...["", {}, [], pair, [["Hat", "Red"]], [{ ...pair, more: 1 }], [{ type: "Hat" }]],
		...[[{ type: "Hat", value: 5 }], [{ type: "a\u0000", value: "b" }], Array(21).fill(pair)],
		[{ type: "x".repeat(129), value: "b" }],
	]) {
		await expectRefused(`/collections/${CATS}/listings?${traitsOf(value)}`, "traits");
	}
	for (const text of ["Hat:Red", "%00", "[", `[${"x".repeat(5_000)}]`]) {
		await expectRefused(`/collections/${CATS}/listings?traits=${text}`, "traits");
	}
	await expectRefused(`/collections/${CATS}/listings?sort=hot`, "sort");
});
