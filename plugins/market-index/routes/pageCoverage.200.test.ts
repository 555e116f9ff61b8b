import { afterAll, beforeAll, expect, test } from "bun:test";
import { HOUR_MS } from "#core/time.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: candles, activity and sales say which part of the time they show was looked at.

const CONTRACT = contractOf(0x500);
const SALES = 6;
const iso = (ms: number) => new Date(ms).toISOString();

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(
		ethereum,
		Array.from({ length: SALES }, (_, index) =>
			saleOf(CONTRACT, { occurredAtMs: NOW_MS - (index + 1) * HOUR_MS, blockNumber: 100 - index }),
		),
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

/** The lanes held everything from so many hours ago on. */
function heldSince(hours: number): number {
	const coveredFromMs = NOW_MS - hours * HOUR_MS;
	const said = { headBlock: 100, indexedBlock: 100, indexedAtMs: NOW_MS, owes: false };
	fixture.progress.set(ethereum.id, {
		...{ chainId: ethereum.id, lane: "sale", ...said },
		...{ coveredFromMs, coveredUntilMs: NOW_MS },
	});
	return coveredFromMs;
}

const coverageOf = async (path: string) => {
	const { status, body } = await ask(`/collections/${CONTRACT}/${path}`);
	expect(status).toBe(200);
	return body.coverage;
};
const LISTS = [
	["candles?interval=1h&", "candles"],
	["activity?type=sale&", "sale"],
	["sales?", "points"],
] as const;

for (const [path, name] of LISTS) {
	test(`${path}: a page within the covered time is complete, and one beyond it says so`, async () => {
		const from = iso(heldSince(3.5));
		expect(await coverageOf(`${path}limit=2`)).toEqual({});
		const inPart = await coverageOf(`${path}limit=5`);
		expect(Object.keys(inPart)).toEqual([name]);
		expect(inPart[name].from).toBe(from);
		expect(inPart[name].fraction).toBeGreaterThan(0.5);
		expect(inPart[name].fraction).toBeLessThan(0.9);
		const all = await coverageOf(`${path}limit=50`);
		expect(all[name]).toMatchObject({ from, fraction: null });
		heldSince(NOW_MS / HOUR_MS);
		expect(await coverageOf(`${path}limit=50`)).toEqual({});
	});
}

test("the coverage of a range of sales is that of its own time", async () => {
	heldSince(12);
	expect(await coverageOf("sales?range=1h")).toEqual({});
	const { points } = await coverageOf("sales?range=24h");
	expect(points.fraction).toBeGreaterThan(0.49);
	expect(points.fraction).toBeLessThan(0.51);
});

test("the coverage of transfers is that of the provider's events alone", async () => {
	heldSince(NOW_MS / HOUR_MS);
	const nothing = { from: null, until: null, fraction: 0 };
	expect(await coverageOf("activity?limit=50")).toEqual({ transfer: nothing });
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, events_from, events_until)
		select id, chain_id, $1, $2 from market_index.collection`,
		[new Date(NOW_MS - 2 * HOUR_MS), new Date(NOW_MS)],
	);
	const { transfer } = await coverageOf("activity?limit=50");
	expect(transfer).toMatchObject({ from: iso(NOW_MS - 2 * HOUR_MS), fraction: null });
	expect(await coverageOf("activity?limit=1")).toEqual({});
});
