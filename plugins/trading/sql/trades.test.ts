import { afterAll, beforeAll, expect, test } from "bun:test";
import { periodOf } from "#core/period.ts";
import { DAY_MS } from "#core/time.ts";
import { insertTrade, listTrades } from "#plugins/trading/sql/trades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const NOW_MS = Date.UTC(2026, 10, 28, 12);
const PROFILE = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	for (const days of [0, 1, 3, 40]) await insert(PROFILE, NOW_MS - days * DAY_MS);
	await insert("0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a70", NOW_MS - DAY_MS);
});
afterAll(() => database.drop());

/** Stores a trade with an id of its time, as ids are made. */
async function insert(profileId: string, atMs: number): Promise<void> {
	const time = atMs.toString(16).padStart(12, "0");
	await database.db.transaction((tx) =>
		insertTrade(tx, {
			id: `${time.slice(0, 8)}-${time.slice(8)}-7${profileId.slice(-3)}-9f30-1f2d3c4b5a69`,
			...{ profileId, intentId: null, walletId: null, channel: "agent", command: null },
			...{ wish: {}, chainId: 4663, terms: {}, settings: {}, policy: [], notionalUsdMicros: null },
			createdAt: new Date(atMs),
		}),
	);
}

async function daysOf(name: string): Promise<number[]> {
	const period = periodOf(name, NOW_MS);
	if (period === null) throw new Error(`${name} is no period`);
	const asked = { profileId: PROFILE, afterId: null, limit: 10, period };
	const trades = await listTrades(database.db, asked);
	return trades.map(({ createdAt }) => (NOW_MS - createdAt.getTime()) / DAY_MS);
}

test.each([
	["24h", [1]],
	["7d", [1, 3]],
	["yesterday-utc", [1]],
	["2026-10", [40]],
	["2026-09", []],
])("a profile's trades of a period are those that were asked for in it: %s", async (name, days) => {
	expect((await daysOf(name)).filter((one) => one > 0)).toEqual(days);
});

test("without a period all trades are listed, the newest first, and none of others", async () => {
	const all = await listTrades(database.db, { profileId: PROFILE, afterId: null, limit: 10 });
	expect(all.map(({ createdAt }) => (NOW_MS - createdAt.getTime()) / DAY_MS)).toEqual([
		0, 1, 3, 40,
	]);
	const page = { profileId: PROFILE, afterId: all[1]?.id ?? null, limit: 1 };
	expect((await listTrades(database.db, page)).map(({ id }) => id)).toEqual([all[2]?.id ?? ""]);
});
