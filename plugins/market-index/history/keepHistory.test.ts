import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { HISTORY_STEP_MS, historyJobs } from "#plugins/market-index/history/keepHistory.ts";
import { createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0x61);
const signal = new AbortController().signal;

let database: TestDatabase;
let fixture: Fixture;
let ask: ReturnType<typeof createAsk>;
let id: number;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	ask = createAsk(fixture);
	await fixture.seed(ethereum, [saleOf(CATS)]);
	id = await fixture.idOf(ethereum, CATS);
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.execute(
		"truncate market_index.figure_history, market_index.floor_snapshot, market_index.ownership",
	);
	await tell({ listed: null, owners: null });
	fixture.setNow(NOW_MS);
});

/** What the provider told at a time; null: it does not say. */
async function tell(told: { listed?: number | null; owners?: number | null; atMs?: number }) {
	const { listed, owners, atMs = NOW_MS } = told;
	const at = new Date(atMs);
	if (listed !== undefined) {
		await database.db.execute(
			"update market_index.collection set listed_count = $2, listed_at = $3 where id = $1",
			[id, listed, at],
		);
	}
	if (owners !== undefined) {
		await database.db.execute(
			"update market_index.collection set provider_owners = $2, provider_owners_at = $3 where id = $1",
			[id, owners, at],
		);
	}
}

async function run(name: "keep" | "thin", nowMs = NOW_MS): Promise<void> {
	fixture.setNow(nowMs);
	const jobs = historyJobs({ ...fixture.core, scanner: fixture.scanner });
	await jobs.find((job) => job.name === `market-index.${name}-history`)?.run({ signal });
}

type Series = {
	metric: string;
	keptFrom: string | null;
	points: { at: string; value: number | null; valueRaw: string | null; source: string | null }[];
};

async function seriesOf(query = "&range=24h"): Promise<Record<string, Series>> {
	const { status, body } = await ask(`/collections/${CATS}/history?chain=ethereum${query}`);
	expect(status).toBe(200);
	return Object.fromEntries(body.data.map((one: Series) => [one.metric, one]));
}

const valuesOf = (series: Series | undefined) => series?.points.map(({ value }) => value);

describe("keep-history", () => {
	test("a point is kept where a figure changed, and none where it is the same", async () => {
		await run("keep");
		expect(valuesOf((await seriesOf())["listed"])).toEqual([]);
		await tell({ listed: 7, owners: 3 });
		await run("keep");
		await run("keep", NOW_MS + HISTORY_STEP_MS);
		await tell({ listed: 0, atMs: NOW_MS + HISTORY_STEP_MS });
		await run("keep", NOW_MS + 2 * HISTORY_STEP_MS);
		const { listed, holders } = await seriesOf();
		expect(valuesOf(listed)).toEqual([7, 0]);
		expect(valuesOf(holders)).toEqual([3]);
		expect(holders?.points[0]).toMatchObject({ source: "provider" });
	});

	test("the same figure is kept again an hour later, and only where its source told it anew", async () => {
		await tell({ listed: 7 });
		await run("keep");
		await run("keep", NOW_MS + 3 * HOUR_MS);
		expect(valuesOf((await seriesOf())["listed"])).toEqual([7]);
		await tell({ listed: 7, atMs: NOW_MS + 3 * HOUR_MS });
		await run("keep", NOW_MS + 3 * HOUR_MS);
		expect(valuesOf((await seriesOf())["listed"])).toEqual([7, 7]);
	});

	test("a figure that ceases to be known is null from then on, and nobody's zero owners are no count", async () => {
		await tell({ listed: 7, owners: 3 });
		await run("keep");
		await tell({ listed: null, owners: 0 });
		await run("keep", NOW_MS + HISTORY_STEP_MS);
		await run("keep", NOW_MS + 3 * HOUR_MS);
		const { listed, holders } = await seriesOf();
		expect(valuesOf(listed)).toEqual([7, null]);
		expect(valuesOf(holders)).toEqual([3, null]);
		expect(listed?.points[1]).toMatchObject({ value: null, source: null, asOf: null });
	});

	test("holders of a walked contract are kept on while its lane moves, and not while it owes blocks", async () => {
		await database.db.execute(
			`insert into market_index.ownership
				(collection_id, chain_id, address, next_block, end_block, owners, minted)
			select id, chain_id, address, 10, 9, 4, 5 from market_index.collection where id = $1`,
			[id],
		);
		await run("keep");
		await run("keep", NOW_MS + HOUR_MS);
		const lane = { headBlock: 9, indexedBlock: 9, indexedAtMs: NOW_MS };
		fixture.progress.set(ethereum.id, {
			...lane,
			chainId: ethereum.id,
			lane: "transfer",
			owes: true,
		});
		await run("keep", NOW_MS + 3 * HOUR_MS);
		fixture.progress.clear();
		const { holders } = await seriesOf();
		expect(valuesOf(holders)).toEqual([4, 4]);
		expect(holders?.points[0]).toMatchObject({ source: "walk" });
	});
});

describe("thin-history", () => {
	const times = [10, DAY_MS / MINUTE_MS + 70, 5_000, 5_015, 5_030, 5_045, 130_000, 130_030];

	test("[IDX-05] floors older than two days are kept hourly, and after 90 days daily", async () => {
		// The full hour: it is the database's time that thins them out.
		const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
		const minutesAgo = [10, 2 * 1_440 - 1, 5_000, 5_015, 5_030, 5_045];
		const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 95 * DAY_MS;
		const old = [dayMs + HOUR_MS, dayMs + 5 * HOUR_MS, dayMs + DAY_MS + HOUR_MS];
		const all = [...old, ...minutesAgo.map((minutes) => hourMs - minutes * MINUTE_MS)];
		for (const atMs of all) {
			await database.db.execute(
				"insert into market_index.floor_snapshot (collection_id, at, floor_native) values ($1, $2, 1)",
				[id, new Date(atMs)],
			);
		}
		await run("thin");
		const rows = await database.db.query<{ at: Date }>(
			"select at from market_index.floor_snapshot order by at",
		);
		// 5000 and 5015 minutes are at :40 and :25, 5030 and 5045 at :10 and :55 of the hour before.
		const left = [5_045, 5_000, 2_879, 10].map((minutes) => hourMs - minutes * MINUTE_MS);
		expect(rows.map(({ at }) => at.getTime())).toEqual([...old.slice(1), ...left]);
	});

	test("points older than a day are kept hourly, each figure by itself", async () => {
		const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
		for (const metric of [1, 2]) {
			for (const minutes of times) {
				await database.db.execute(
					`insert into market_index.figure_history (collection_id, metric, at, value, source)
					values ($1, $2, $3, 1, 1)`,
					[id, metric, new Date(hourMs - minutes * MINUTE_MS)],
				);
			}
		}
		await run("thin");
		const left = await database.db.query<{ metric: number; count: number }>(
			`select metric, count(*)::int4 as count from market_index.figure_history
			group by 1 order by 1`,
		);
		const [first, second] = left;
		expect(first?.count).toBe(second?.count);
		// Of the four of one stretch two stay, of the two of one day (or of two) one at least.
		expect(first?.count).toBeLessThanOrEqual(6);
		expect(first?.count).toBeGreaterThanOrEqual(5);
	});
});

describe("getHistory", () => {
	const floor = (atMs: number, wei: bigint) =>
		database.db.execute(
			`insert into market_index.floor_snapshot (collection_id, at, floor_native, floor_usd)
			values ($1, $2, $3, 2)`,
			[id, new Date(atMs), wei],
		);

	test("it says since when each figure is kept, and nothing of before", async () => {
		await floor(NOW_MS - 30 * DAY_MS, 3n * ETH);
		await floor(NOW_MS - DAY_MS, 2n * ETH);
		await tell({ listed: 7 });
		await run("keep");
		const { floor: floors, listed, holders } = await seriesOf("&range=7d");
		expect(floors).toMatchObject({
			unit: "ETH",
			keptFrom: new Date(NOW_MS - 30 * DAY_MS).toISOString(),
			points: [{ value: 2, valueRaw: (2n * ETH).toString(), valueUsd: 2 }],
		});
		expect(listed?.points).toHaveLength(1);
		expect(listed?.keptFrom).toBe(listed?.points[0]?.at ?? null);
		expect(holders).toMatchObject({ keptFrom: null, points: [] });
		expect(valuesOf((await seriesOf("&range=all&metric=floor"))["floor"])).toEqual([3, 2]);
		expect(Object.keys(await seriesOf("&metric=floor"))).toEqual(["floor"]);
	});

	test("an answer has at most 500 points of a figure, each the last of its step", async () => {
		const rows = Array.from({ length: 3_000 }, (_, index) => index);
		await database.db.execute(
			`insert into market_index.floor_snapshot (collection_id, at, floor_native)
			select $1, $2::timestamptz - n * interval '1 minute', n from unnest($3::int4[]) as n`,
			[id, new Date(NOW_MS), rows],
		);
		for (const query of ["&range=24h", "&range=7d", "&range=all", "&from=2001-01-01T00:00:00Z"]) {
			const { floor: floors } = await seriesOf(`${query}&metric=floor`);
			expect([query, (floors?.points.length ?? 0) <= 500]).toEqual([query, true]);
			expect(floors?.points.at(-1)?.valueRaw).toBe("0");
			const times = floors?.points.map(({ at }) => at) ?? [];
			expect(times).toEqual(times.toSorted());
		}
	});

	test("a range with from, a time to come and an end before the beginning are refused", async () => {
		const at = (ms: number) => new Date(ms).toISOString();
		const bad = {
			"range=7d&from=2026-01-01T00:00:00Z": "range",
			[`from=${at(NOW_MS + DAY_MS)}`]: "from",
			[`from=${at(NOW_MS - DAY_MS)}&to=${at(NOW_MS + DAY_MS)}`]: "to",
			[`from=${at(NOW_MS - DAY_MS)}&to=${at(NOW_MS - 2 * DAY_MS)}`]: "to",
			[`to=${at(NOW_MS - DAY_MS)}`]: "from",
			"metric=volume": "metric",
			"range=2h": "range",
			"from=yesterday": "from",
		};
		for (const [query, path] of Object.entries(bad)) {
			const { status, body } = await ask(`/collections/${CATS}/history?chain=ethereum&${query}`);
			expect([query, status, body.issues?.[0]?.path]).toEqual([query, 422, path]);
		}
		expect((await ask("/collections/nobody/history?chain=ethereum")).status).toBe(404);
	});
});
