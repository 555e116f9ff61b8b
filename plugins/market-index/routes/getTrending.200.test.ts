import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time/units.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	minuteOf,
	randomTrades,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const TRADED = Array.from({ length: 6 }, (_, index) => contractOf(0x100 + index));
const JUST_OUT = contractOf(0x200);
const LONG_OUT = contractOf(0x201);
const DROPPED = contractOf(0x202);
const trades = [
	...randomTrades({ seed: 31, contracts: TRADED, count: 300, days: 8 }),
	...randomTrades({ seed: 32, contracts: TRADED, count: 60, days: 0.2 }),
];

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [
		...trades,
		mintOf(JUST_OUT, { quantity: 10n, occurredAtMs: NOW_MS - 15 * MINUTE_MS }),
		mintOf(LONG_OUT, { quantity: 10n, occurredAtMs: NOW_MS - 16 * MINUTE_MS }),
		saleOf(DROPPED, { accepted: false, reason: "zero_price" }),
	]);
	// Nothing that counts was seen of it; that its mint was announced makes it upcoming.
	await database.db.execute(
		`insert into market_index.drop
			(chain_id, contract, provider_slug, type, is_minting, stages, starts_at, seen_at)
		values (1, $1, 'dropped', 'seadrop_v1_erc721', false, '[]', $2, now())`,
		[Buffer.from(DROPPED.slice(2), "hex"), new Date(NOW_MS + HOUR_MS)],
	);
	await fixture.seed(base, [saleOf(contractOf(0x300), { totalRaw: 2n * ETH })]);
	await database.db.execute(
		`update market_index.collection set max_supply = 10, provider_owners = 4, listed_count = 2,
			floor_native = 1e18 where slug = any($1::text[])`,
		[[JUST_OUT, LONG_OUT]],
	);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

type Row = { slug: string; chain: string; lifecycle: string; sales: number; volumeNative: number };

test("[API-12] [IDX-10] each window counts its own accepted sales, most first", async () => {
	const windows = {
		"5m": 5 * MINUTE_MS,
		"1h": HOUR_MS,
		"6h": 6 * HOUR_MS,
		"24h": DAY_MS,
		"7d": 7 * DAY_MS,
	};
	for (const [window, lengthMs] of Object.entries(windows)) {
		const since = minuteOf(NOW_MS - lengthMs);
		const { status, body } = await ask(`/trending?chain=ethereum&window=${window}&limit=200`);
		expect(status).toBe(200);
		const rows: Row[] = body.rows;
		for (const contract of TRADED) {
			const mine = trades.filter((event) => event.contract === contract);
			const { sales, priced } = countedSales(mine, since);
			const row = rows.find(({ slug }) => slug === contract);
			expect([window, row?.sales]).toEqual([window, sales.length]);
			if (priced.length > 0) expect(row?.volumeNative).toBeCloseTo(volumeOf(priced), 9);
			else expect(row).toMatchObject({ volumeNative: sales.length > 0 ? null : 0 });
		}
		const sales = rows.map((row) => row.sales);
		expect(sales).toEqual(sales.toSorted((a, b) => b - a));
	}
	const unnamed = await ask("/trending?chain=ethereum");
	const day = await ask("/trending?chain=ethereum&window=24h");
	expect(unnamed.body.rows).toEqual(day.body.rows);
});

test("[API-12] limit cuts the list, and quiet collections fill it up", async () => {
	const three = await ask("/trending?chain=ethereum&limit=3");
	const all = await ask("/trending?chain=ethereum&limit=200");
	expect(three.body.rows).toEqual(all.body.rows.slice(0, 3));
	expect(all.body.rows).toHaveLength(9);
});

test("[API-22] a row has slug, lifecycle, soldOut, lastMintAt and the five figures", async () => {
	const { body } = await ask("/trending?chain=ethereum&lifecycle=minted_out");
	expect(body.rows).toEqual([
		{
			slug: JUST_OUT,
			chain: "ethereum",
			contractAddress: JUST_OUT,
			name: null,
			imageUrl: null,
			lifecycle: "minted_out",
			soldOut: true,
			lastMintAt: new Date(NOW_MS - 15 * MINUTE_MS).toISOString(),
			holders: 4,
			listed: 2,
			volumeNative: 0,
			volumeRaw: "0",
			volumeCurrency: { symbol: "ETH", decimals: 18 },
			floorNative: 1,
			sales: 0,
			coverage: {},
		},
	]);
});

test("[IDX-04] [API-12] [API-22] `ended` lists what sold out, also when it is presented as secondary", async () => {
	const { body } = await ask("/trending?chain=ethereum&lifecycle=ended");
	const shown = body.rows.map((row: Row & { soldOut: boolean }) => [
		row.slug,
		row.lifecycle,
		row.soldOut,
	]);
	expect(shown).toEqual([
		[JUST_OUT, "minted_out", true],
		[LONG_OUT, "secondary", false],
	]);
});

test("[API-12] every other lifecycle lists exactly the rows that show it", async () => {
	const all: Row[] = (await ask("/trending?limit=200")).body.rows;
	for (const lifecycle of ["upcoming", "minting", "minted_out", "secondary"]) {
		const { body } = await ask(`/trending?limit=200&lifecycle=${lifecycle}`);
		const expected = all.filter((row) => row.lifecycle === lifecycle).map(({ slug }) => slug);
		expect(body.rows.map(({ slug }: Row) => slug)).toEqual(expected);
		expect(expected.length).toBeGreaterThan(0);
	}
});

function lane(chainId: number, lag: number): LaneProgress {
	return {
		chainId,
		lane: "sale",
		headBlock: 900,
		indexedBlock: 900 - lag,
		indexedAtMs: NOW_MS - 500,
	};
}

test("[API-12] [API-18] freshness is the chain's, and without one that of the chain that lags most", async () => {
	fixture.progress.set(ethereum.id, lane(ethereum.id, 1));
	fixture.progress.set(base.id, lane(base.id, 70));
	const all = await ask("/trending");
	expect(all.body.freshness).toEqual({
		chain: "base",
		headBlock: 900,
		indexedBlock: 830,
		indexedAt: new Date(NOW_MS - 500).toISOString(),
		lagBlocks: 70,
		listRefreshedAt: null,
		servedAt: new Date(NOW_MS).toISOString(),
	});
	expect(new Set(all.body.rows.map(({ chain }: Row) => chain))).toEqual(
		new Set(["ethereum", "base"]),
	);
	const one = await ask("/trending?chain=eth");
	expect(one.body.freshness).toMatchObject({ chain: "ethereum", lagBlocks: 1 });
	expect(new Set(one.body.rows.map(({ chain }: Row) => chain))).toEqual(new Set(["ethereum"]));
});
