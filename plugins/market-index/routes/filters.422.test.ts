import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	NOW_MS,
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

test("filters of events that cannot be read are refused", async () => {
	for (const list of ["activity", "sales"]) {
		const path = `/collections/${CATS}/${list}`;
		for (const name of ["account", "from", "to"]) {
			for (const text of ["", "0x12", "cats", `${CATS}00`]) {
				await expectRefused(`${path}?${name}=${text}`, name);
			}
		}
		for (const text of ["-1", "1e3", "0x1", "1.0000000000000000001", ".5", ""]) {
			await expectRefused(`${path}?minPriceNative=${text}`, "minPriceNative");
		}
		for (const text of ["-1", "1.5", "99999999999999999", ""]) {
			await expectRefused(`${path}?block=${text}`, "block");
		}
		await expectRefused(`${path}?venue=a%20b`, "venue");
		await expectRefused(`${path}?after=yesterday`, "after");
		await expectRefused(`${path}?tokenId=-1`, "tokenId");
	}
});

test("filters that contradict each other, and times in the future, are refused", async () => {
	const [a, b, c] = [1, 2, 3].map(contractOf);
	const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
	const later = at(NOW_MS + 120_000);
	for (const path of [`/collections/${CATS}/activity`, `/collections/${CATS}/sales`]) {
		await expectRefused(`${path}?account=${a}&from=${b}&to=${c}`, "account");
		await expectRefused(`${path}?after=${later}`, "after");
		await expectRefused(`${path}?before=${later}`, "before");
		await expectRefused(`${path}?after=${at(NOW_MS)}&before=${at(NOW_MS)}`, "before");
	}
	const activity = `/collections/${CATS}/activity`;
	await expectRefused(`${activity}?type=mint&venue=seaport`, "venue");
	await expectRefused(`${activity}?type=transfer&minPriceNative=1`, "minPriceNative");
	await expectRefused(`${activity}?type=mint&from=${a}`, "from");
	expect((await ask(`${activity}?type=mint&from=${contractOf(0)}`)).status).toBe(200);
	const sales = `/collections/${CATS}/sales`;
	await expectRefused(`${sales}?range=7d&after=${at(NOW_MS - 1_000)}`, "range");
	await expectRefused(`${sales}?max=100`, "max");
	await expectRefused(`${sales}?view=points&tokenId=1`, "view");
	for (const max of ["0", "9", "5001", "1e2", ""]) {
		await expectRefused(`${sales}?view=points&max=${max}`, "max");
	}
	const asset = `/assets/ethereum/${CATS}/1/activity`;
	await expectRefused(`${asset}?after=${later}`, "after");
	await expectRefused(`${asset}?tokenId=1`, "tokenId");
});

test("bounds of tokens that cannot be read, or between which nothing lies, are refused", async () => {
	const path = `/collections/${CATS}/tokens`;
	await expectRefused(`${path}?minRank=9&maxRank=8`, "maxRank");
	await expectRefused(`${path}?minPriceNative=1.1&maxPriceNative=1`, "maxPriceNative");
	for (const rank of ["0", "-1", "1.5", "1e2", "9999999999", ""]) {
		await expectRefused(`${path}?minRank=${rank}`, "minRank");
	}
	await expectRefused(`${path}?owner=cats`, "owner");
	await expectRefused(`${path}?sort=owner`, "sort");
	await expectRefused(`${path}?${traitsOf({})}`, "traits");
	await expectRefused(`${path}?cursor=abc`, "cursor");
});
