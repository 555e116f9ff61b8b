import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/time/units.ts";
import { readDiscoverRows } from "#plugins/market-index/read/readDiscoverRows.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
	wholeSpans,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	minuteOf,
	randomTrades,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const TRADED = Array.from({ length: 9 }, (_, index) => contractOf(0x100 + index));
const QUIET = contractOf(0x200);
const EXCLUDED = contractOf(0x201);
const MINTING = contractOf(0x202);
const trades = randomTrades({ seed: 21, contracts: TRADED, count: 500, days: 2 });
const baseTrades = randomTrades({ seed: 22, contracts: TRADED, count: 60, days: 1 });
const mints = [
	...Array.from({ length: 12 }, (_, index) =>
		mintOf(MINTING, { occurredAtMs: NOW_MS - index * 1_000 }),
	),
	mintOf(MINTING, { occurredAtMs: NOW_MS, accepted: false }),
];

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [
		...trades,
		...mints,
		saleOf(QUIET, { occurredAtMs: NOW_MS - 9 * DAY_MS }),
		mintOf(EXCLUDED, { occurredAtMs: NOW_MS }),
	]);
	await fixture.seed(base, baseTrades);
	await database.db.execute(
		"update market_index.collection set excluded = (address = $1), name = 'N ' || slug, image_url = 'https://images.test/' || slug",
		[Buffer.from(EXCLUDED.slice(2), "hex")],
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const FIGURES = { nowMs: NOW_MS, spans: wholeSpans(NOW_MS) };

type Row = { slug: string; chain: string; id: string };

test("[API-11] [API-23] trending is by sales in 24 hours of tracked collections", async () => {
	const { status, body } = await ask("/discover?chain=ethereum&limit=9");
	expect(status).toBe(200);
	const since = minuteOf(NOW_MS - DAY_MS);
	const expected = TRADED.map((contract) => {
		const { sales, priced } = countedSales(
			trades.filter((event) => event.contract === contract),
			since,
		);
		return { contract, sales: sales.length, volume: volumeOf(priced) };
	}).sort((a, b) => b.sales - a.sales || b.volume - a.volume);
	expect(body.trending.map(({ slug }: Row) => slug)).toEqual(
		expected.map(({ contract }) => contract),
	);
	expect(body.trending[0].sales24h).toBe(expected[0]?.sales);
	const byVolume = expected.toSorted((a, b) => b.volume - a.volume).map(({ contract }) => contract);
	expect(body.market.map(({ slug }: Row) => slug)).toEqual(byVolume);
});

test("[API-11] market has what ever sold, with the floor's change unknown; never an excluded one", async () => {
	const { body } = await ask("/discover?chain=ethereum&limit=200");
	const market = body.market.map(({ slug }: Row) => slug);
	expect(market).toContain(QUIET);
	expect(market).not.toContain(MINTING);
	expect(body.market[0]).toMatchObject({ floorNative: null, floorChange24hPercent: null });
	expect(JSON.stringify(body)).not.toContain(EXCLUDED);
});

test("[API-23] mints are the newest accepted ones of all collections, joined to name and image", async () => {
	const all = [
		...trades.map((event) => ({ event, chain: "ethereum" })),
		...mints.map((event) => ({ event, chain: "ethereum" })),
		...baseTrades.map((event) => ({ event, chain: "base" })),
	]
		.filter(({ event }) => event.kind === "mint" && event.accepted)
		.sort(
			(a, b) =>
				b.event.occurredAtMs - a.event.occurredAtMs ||
				b.event.blockNumber - a.event.blockNumber ||
				b.event.logIndex - a.event.logIndex,
		);
	for (const limit of [1, 5, 13, 100, 200]) {
		const { body } = await ask(`/discover?limit=${limit}`);
		const expected = all
			.slice(0, limit)
			.map(({ event, chain }) => `${chain} ${event.transactionHash}`);
		const got = body.mints.map(
			(row: { chain: string; transactionHash: string }) => `${row.chain} ${row.transactionHash}`,
		);
		expect(got).toEqual(expected);
	}
	const { body } = await ask("/discover?chain=ethereum&limit=1");
	expect(body.mints[0]).toMatchObject({
		eventType: "mint",
		contractAddress: MINTING,
		collection: { slug: MINTING, name: `N ${MINTING}`, imageUrl: `https://images.test/${MINTING}` },
	});
});

test("[API-23] minting is the collections with mints in the last hour, most mints first", async () => {
	const since = minuteOf(NOW_MS - HOUR_MS);
	const counts = new Map<string, number>();
	for (const event of [...trades, ...mints]) {
		if (event.kind !== "mint" || !event.accepted || event.occurredAtMs < since) continue;
		counts.set(event.contract, (counts.get(event.contract) ?? 0) + 1);
	}
	const { body } = await ask("/discover?chain=ethereum");
	const got = body.minting.map((row: { slug: string; mints1h: number }) => [row.slug, row.mints1h]);
	expect(new Map(got)).toEqual(counts);
	expect(got[0]).toEqual([MINTING, 12]);
	const mints1h = got.map(([, count]: [string, number]) => count);
	expect(mints1h).toEqual(mints1h.toSorted((a: number, b: number) => b - a));
});

test("[API-11] without chain all indexed chains are shown, each row with its own", async () => {
	const { body } = await ask("/discover?limit=200");
	for (const section of ["trending", "mints", "market"]) {
		const chains = new Set(body[section].map(({ chain }: Row) => chain));
		expect(chains).toEqual(new Set(["ethereum", "base"]));
	}
});

test("[API-11] a row has exactly its fields", async () => {
	const { body } = await ask("/discover?chain=ethereum&limit=1");
	expect(body.minting[0]).toEqual({
		slug: MINTING,
		chain: "ethereum",
		name: `N ${MINTING}`,
		imageUrl: `https://images.test/${MINTING}`,
		floorNative: null,
		volume24hNative: 0,
		volumeRaw: "0",
		volumeCurrency: { symbol: "ETH", decimals: 18 },
		sales24h: 0,
		floorChange24hPercent: null,
		mints1h: 12,
		lastMintAt: new Date(NOW_MS).toISOString(),
		revealState: "unknown",
		lifecycle: "minting",
		coverage: {},
	});
});

test("rows for frames are the same rows that the route answers, without excluded ones", async () => {
	const ids = await Promise.all(
		[...TRADED, EXCLUDED, MINTING].map((contract) => fixture.idOf(ethereum, contract)),
	);
	const rows = await readDiscoverRows(database.db, ethereum, ids, FIGURES);
	const { body } = await ask("/discover?chain=ethereum&limit=200");
	expect(rows).toHaveLength(10);
	for (const row of rows) {
		expect(row).toEqual(body.trending.find(({ slug }: Row) => slug === row.slug));
	}
	expect(await readDiscoverRows(database.db, ethereum, [], FIGURES)).toEqual([]);
});
