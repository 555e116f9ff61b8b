import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
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
import {
	countedSales,
	createDice,
	minuteOf,
	randomTrades,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CONTRACTS = Array.from({ length: 7 }, (_, index) => contractOf(0x300 + index));
/** Sells only for coins without a rate, beside one sale with a price. */
const UNPRICED = contractOf(0x320);
const LENGTHS = {
	"5m": 5 * MINUTE_MS,
	"1h": HOUR_MS,
	"6h": 6 * HOUR_MS,
	"24h": DAY_MS,
	"7d": 7 * DAY_MS,
};

let database: TestDatabase;
let fixture: Fixture;
let ask: ReturnType<typeof createAsk>;
let trades: NewEvent[];

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	ask = createAsk(fixture);
	trades = [
		...randomTrades({ seed: 52, contracts: CONTRACTS, count: 400, days: 15 }),
		...randomTrades({ seed: 53, contracts: CONTRACTS, count: 250, days: 1 }),
		...crowd(),
	].map((event) => ({
		...event,
		currency: event.currency === null ? null : `0x${"0".repeat(40)}`,
	}));
	await fixture.seed(ethereum, [
		...trades,
		saleOf(UNPRICED, { occurredAtMs: NOW_MS - 30 * MINUTE_MS }),
		saleOf(UNPRICED, {
			occurredAtMs: NOW_MS - 90 * MINUTE_MS,
			currency: `0x${"c0".repeat(20)}`,
		}),
		saleOf(UNPRICED, { occurredAtMs: NOW_MS - 95 * MINUTE_MS }),
	]);
});
afterAll(() => database.drop());

/**
 * Returns sales of the last quarter of an hour, with some on both sides of each edge of 5 minutes.
 */
function crowd(): NewEvent[] {
	const dice = createDice(54);
	return Array.from({ length: 120 }, () =>
		saleOf(CONTRACTS[dice(CONTRACTS.length)] ?? "0x", {
			occurredAtMs: NOW_MS - dice(15 * MINUTE_MS),
			totalRaw: (BigInt(1 + dice(5_000)) * ETH) / 1_000n,
		}),
	);
}

/** Sums every sale again, one by one: the change of a window's volume, in percent. */
function expectedChange(contract: string, lengthMs: number): number | null {
	const own = trades.filter((event) => event.contract === contract);
	const sumSince = (sinceMs: number) =>
		countedSales(own, sinceMs).sales.reduce((sum, { totalRaw }) => sum + (totalRaw ?? 0n), 0n);
	const now = sumSince(minuteOf(NOW_MS - lengthMs));
	const before = sumSince(minuteOf(NOW_MS - 2 * lengthMs)) - now;
	return before === 0n ? null : (Number(now - before) / Number(before)) * 100;
}

type Row = {
	slug: string;
	changes: Record<
		keyof typeof LENGTHS,
		{ floorPercent: number | null; volumePercent: number | null }
	>;
	supply: number | null;
	listedPercent: number | null;
};

async function rowsOfEachList(): Promise<Row[][]> {
	const [trending, discover, list] = await Promise.all([
		ask("/trending?limit=200"),
		ask("/discover?limit=200"),
		ask("/collections?limit=200&scope=all"),
	]);
	return [trending.body.rows, discover.body.trending, discover.body.market, list.body.normalized];
}

test("the change of a volume compares each window with as long before it, sale by sale", async () => {
	for (const rows of await rowsOfEachList()) {
		const found = rows.filter(({ slug }) => CONTRACTS.some((contract) => contract === slug));
		expect(found).toHaveLength(CONTRACTS.length);
		for (const { slug, changes } of found) {
			for (const [window, lengthMs] of Object.entries(LENGTHS) as [
				keyof typeof LENGTHS,
				number,
			][]) {
				const expected = expectedChange(slug, lengthMs);
				const got = changes[window].volumePercent;
				if (expected === null) expect(got).toBeNull();
				else expect(got).toBeCloseTo(expected, 6);
			}
		}
	}
});

test("a change is null where a sale has no price, and where nothing was sold before", async () => {
	const [rows = []] = await rowsOfEachList();
	const row = rows.find(({ slug }) => slug === UNPRICED);
	expect(row?.changes["1h"].volumePercent).toBeNull();
	expect(row?.changes["24h"].volumePercent).toBeNull();
});

test("a change is null where a part of either time was not read", async () => {
	const lane = { chainId: ethereum.id, lane: "sale", headBlock: 9, indexedBlock: 9 } as const;
	const covered = { indexedAtMs: NOW_MS, coveredFromMs: NOW_MS - 30 * HOUR_MS };
	fixture.progress.set(ethereum.id, { ...lane, ...covered, coveredUntilMs: NOW_MS });
	const { body } = await ask("/trending?limit=200");
	fixture.progress.clear();
	const [busiest]: Row[] = body.rows;
	expect(busiest?.changes["6h"].volumePercent).not.toBeNull();
	expect(busiest?.changes["24h"].volumePercent).toBeNull();
	expect(busiest?.changes["7d"].volumePercent).toBeNull();
});

test("the change of a floor needs a floor that was seen then, and one that was told lately", async () => {
	// What it is compared with is kept for ten seconds.
	fixture.setNow(NOW_MS + 11_000);
	const contract = CONTRACTS[0] ?? "0x";
	const id = await fixture.idOf(ethereum, contract);
	const floor = (atMs: number, wei: bigint) =>
		database.db.execute(
			"insert into market_index.floor_snapshot (collection_id, at, floor_native) values ($1, $2, $3)",
			[id, new Date(atMs), wei],
		);
	await floor(NOW_MS - 70 * MINUTE_MS, 2n * ETH);
	await floor(NOW_MS - 25 * HOUR_MS, 4n * ETH);
	await floor(NOW_MS - 9 * DAY_MS, 8n * ETH);
	const told = (atMs: number) =>
		database.db.execute(
			`update market_index.collection set floor_native = $2, floor_at = $3, listed_count = 25,
				listed_at = $3, total_supply = 1000, supply_at = $3 where id = $1`,
			[id, 3n * ETH, new Date(atMs)],
		);
	const shown = async () => {
		const { body } = await ask("/trending?limit=200");
		const row: Row = body.rows.find(({ slug }: Row) => slug === contract);
		const { changes, supply, listedPercent } = row;
		const floors = Object.values(changes).map(({ floorPercent }) => floorPercent);
		return { floors, supply, listedPercent };
	};
	await told(NOW_MS - MINUTE_MS);
	const share = { supply: 1_000, listedPercent: 2.5 };
	expect(await shown()).toEqual({ floors: [50, 50, null, -25, null], ...share });
	await told(NOW_MS - 3 * HOUR_MS);
	expect((await shown()).floors).toEqual([null, null, null, null, null]);
	fixture.setNow(NOW_MS);
});

test("whoever sorts the rows of trending by their terms gets their order", async () => {
	type Reasoned = Row & {
		why: {
			terms: {
				sales: number;
				volumeRaw: string;
				lastSaleAt: string | null;
				lastMintAt: string | null;
			};
		};
	};
	for (const window of Object.keys(LENGTHS)) {
		const { body } = await ask(`/trending?limit=200&window=${window}`);
		const rows: Reasoned[] = body.rows;
		const late = (a: string | null, b: string | null) =>
			(b === null ? -1 : Date.parse(b)) - (a === null ? -1 : Date.parse(a));
		const sorted = rows.toSorted(({ why: { terms: a } }, { why: { terms: b } }) => {
			const volume = BigInt(b.volumeRaw) - BigInt(a.volumeRaw);
			return (
				b.sales - a.sales ||
				(volume > 0n ? 1 : volume < 0n ? -1 : 0) ||
				late(a.lastSaleAt, b.lastSaleAt) ||
				late(a.lastMintAt, b.lastMintAt)
			);
		});
		expect(rows.map(({ slug }) => slug)).toEqual(sorted.map(({ slug }) => slug));
	}
});
