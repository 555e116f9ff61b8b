import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { storeStats } from "#plugins/market-index/discovery/providerLists.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { markBookRead, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what nobody looked at is unknown and never zero, wherever it is shown; what was looked
// at in part is a number that says how much.

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
let next = 0x900;
let contract: Address;
let id: number;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.execute(
		`truncate market_index.collection, market_index.sync, market_index.event,
			market_index.rollup_minute, market_index.rollup_hour, market_index.rollup_day,
			market_index.ownership, market_index.drop, market_index.market_order,
			market_index.former_slug`,
	);
	fixture = createMarketFixture(database.db, [ethereum]);
	ask = createAsk(fixture);
	contract = contractOf(next++);
});

const withProvider = () => ({ isOn: true, isConnected: true, stream: "live" }) as const;

/** As a list of the provider's brings it: nothing of it was seen on chain. */
async function register() {
	const rows = await database.db.query<{ id: number }>(
		`insert into market_index.collection (chain_id, address, slug, standard, name)
		values (1, $1, 'harbor', 'erc721', 'Harbor') returning id`,
		[Buffer.from(contract.slice(2), "hex")],
	);
	id = rows[0]?.id ?? -1;
}

/** What the lanes hold; without a time they know of none. */
function lanes(fromMs: number | null, untilMs: number | null = NOW_MS) {
	const progress: LaneProgress = {
		chainId: 1,
		lane: "sale",
		headBlock: 10,
		indexedBlock: 10,
		indexedAtMs: NOW_MS,
		coveredFromMs: fromMs,
		coveredUntilMs: fromMs === null ? null : untilMs,
	};
	fixture.progress.set(1, progress);
}

async function everything() {
	const get = async (path: string) => {
		const { status, body } = await ask(path);
		expect([path, status]).toEqual([path, 200]);
		return body;
	};
	const detail = await get("/collections/harbor?chain=ethereum");
	const list = await get("/collections?chain=ethereum&mode=new");
	const trending = await get("/trending?chain=ethereum");
	const discover = await get("/discover?chain=ethereum");
	const search = await get("/search?q=harbor");
	const sales = await get("/collections/harbor/sales?chain=ethereum");
	const tiles: Record<string, { value: unknown; asOf: unknown }> = {};
	for (const { key, ...tile } of sales.tiles) tiles[key] = tile;
	return {
		detail,
		tiles,
		list: list.normalized[0],
		trending: trending.rows[0],
		discover: discover.trending[0],
		hit: search.data[0],
		freshness: [list.freshness, trending.freshness],
	};
}

test("[MRG-02] before anything is read every figure is null everywhere, with its reason", async () => {
	await register();
	lanes(null);
	const { detail, tiles, list, trending, discover, hit } = await everything();
	const { market, figures, mint } = detail;
	for (const row of [market, list]) {
		expect(row).toMatchObject({ sales24h: null, volume_24h: null, volume24hNative: null });
		expect(row).toMatchObject({ volumeRaw: null, owners: null, floor: null, totalSupply: null });
		expect([row.lifecycle, row.coverage]).toEqual([null, {}]);
	}
	expect(trending).toMatchObject({ sales: null, volumeNative: null, volumeRaw: null });
	expect(trending).toMatchObject({ holders: null, lifecycle: null, soldOut: false });
	expect(discover).toMatchObject({ sales24h: null, volume24hNative: null, mints1h: null });
	expect(hit).toMatchObject({ sales24h: null, volume24hNative: null, ownersCount: null });
	expect(mint).toMatchObject({ active: false, mints1h: null, mintedSupply: null });
	for (const tile of Object.values(tiles)) expect(tile).toMatchObject({ value: null, asOf: null });
	expect(figures.sales24h).toMatchObject({ value: null, reason: "not_covered", source: null });
	expect(figures.floorNative).toMatchObject({ value: null, reason: "not_read", source: null });
});

test("[MRG-02] a figure that is covered in part is a number with its coverage, in market, rows, tiles and hits", async () => {
	await register();
	lanes(NOW_MS - 3 * HOUR_MS);
	const { detail, tiles, list, trending, discover, hit } = await everything();
	const from = new Date(NOW_MS - 3 * HOUR_MS).toISOString();
	const covered = { from, until: new Date(NOW_MS).toISOString(), fraction: 0.1249 };
	const day = { volume24hNative: covered, sales24h: covered };
	expect(detail.market).toMatchObject({ sales24h: 0, volume_24h: 0, coverage: day });
	expect(list).toMatchObject({ sales24h: 0, volume24hNative: 0, coverage: day });
	expect(discover).toMatchObject({ sales24h: 0, mints1h: 0, coverage: day });
	expect(Object.keys(discover.coverage).sort()).toEqual(["sales24h", "volume24hNative"]);
	expect(hit).toMatchObject({ sales24h: 0, coverage: day });
	const named = { sales: covered, volumeNative: covered };
	expect(trending).toMatchObject({ sales: 0, volumeNative: 0, coverage: named });
	expect(tiles["sales24h"]).toMatchObject({ value: 0, coverage: covered, source: "chain" });
	expect(tiles["volume24h"]).toMatchObject({ value: 0, valueRaw: "0", asOf: covered.until });
	const shown = { window: "24h", asOf: covered.until, coverage: covered, reason: null };
	expect(detail.figures.sales24h).toMatchObject({ value: 0, source: "chain", ...shown });
	const hour = (await ask("/trending?chain=ethereum&window=1h")).body.rows[0];
	expect(hour).toMatchObject({ sales: 0, coverage: {} });
});

test("the provider's events cover the day as the lanes do", async () => {
	await register();
	lanes(NOW_MS - HOUR_MS);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, events_until, events_from)
		values ($1, 1, $2, $3)`,
		[id, new Date(NOW_MS - 60_000), new Date(NOW_MS - DAY_MS)],
	);
	const { detail, discover } = await everything();
	expect(detail.figures.sales24h).toMatchObject({ value: 0, source: "provider" });
	// A reading under way covers what it has brought so far.
	await database.db.execute(
		`update market_index.sync set events_from = null, events_until = null, walk_until = $1,
			walk_reached = $2`,
		[new Date(NOW_MS), new Date(NOW_MS - 12 * HOUR_MS)],
	);
	const half = (await everything()).detail.figures.sales24h;
	expect(half).toMatchObject({ value: 0, source: "provider", coverage: { fraction: 0.4998 } });
	expect(detail.figures.sales24h.coverage.fraction).toBe(1);
	expect([detail.market.coverage, discover.coverage]).toEqual([{}, {}]);
});

test("[MRG-02] a figure whose coverage ended before the day is unknown again", async () => {
	await register();
	lanes(0, NOW_MS - 25 * HOUR_MS);
	expect((await everything()).detail.market.sales24h).toBeNull();
	lanes(0, NOW_MS - 23 * HOUR_MS);
	expect((await everything()).detail.market).toMatchObject({ sales24h: 0 });
});

test("a reported sale is counted even if nothing else was read", async () => {
	await register();
	lanes(null);
	await fixture.seed(ethereum, [saleOf(contract), saleOf(contract, { currency: STRANGE_COIN })]);
	const { market, figures } = (await everything()).detail;
	const some = { from: null, until: null, fraction: 0 };
	expect(market).toMatchObject({ sales24h: 2, volume_24h: 1, volumeRaw: ETH.toString() });
	expect(market.coverage).toEqual({ sales24h: some, volume24hNative: some });
	expect(figures.sales24h).toMatchObject({ source: null, asOf: null });
	lanes(0);
	// One of two sales has a price: the volume is of half of them.
	const half = (await everything()).detail.market.coverage;
	expect(half).toMatchObject({ volume24hNative: { fraction: 0.5 } });
	expect(half.sales24h).toBeUndefined();
});

test("[MRG-02] a volume of 0 that contradicts the provider's own sales is null in stats and market", async () => {
	await register();
	lanes(NOW_MS - 3 * HOUR_MS);
	const raw = {
		total: { volume: 0, sales: 57, floor_price: 0, floor_price_symbol: "" },
		intervals: [{ interval: "one_day", volume: 0, sales: 57 }],
	};
	const stats = { floor: null, owners: null, volumeTotal: null, salesTotal: 57, raw };
	await database.db.transaction((tx) =>
		storeStats(
			tx,
			{ outbox: { append: () => {} }, prices: fixture.prices, nowMs: NOW_MS, askedAtMs: NOW_MS },
			{ chain: ethereum, collection: { id, chainId: 1, address: contract }, stats },
		),
	);
	const { detail, list, trending, discover, tiles } = await everything();
	expect(detail.stats.data.total.volume).toBeNull();
	expect([detail.market.volume_24h, list.volume24hNative]).toEqual([null, null]);
	expect([trending.volumeNative, discover.volume24hNative]).toEqual([null, null]);
	expect(tiles["volume24h"]).toMatchObject({ value: null, reason: "contradicted" });
	// Nor is it a day without sales: those that were told are as unknown as what they came to.
	expect([detail.market.sales24h, list.sales24h, discover.sales24h]).toEqual([null, null, null]);
	expect(trending.sales).toBeNull();
	expect(tiles["sales24h"]).toMatchObject({ value: null, reason: "contradicted" });
	// The chain, read for the whole day, knows better.
	lanes(0);
	const { market } = (await everything()).detail;
	expect([market.volume_24h, market.sales24h]).toEqual([0, 0]);
});

test("[MRG-04] minted units are unknown beside a supply, and a partial count has its coverage", async () => {
	await register();
	lanes(NOW_MS - HOUR_MS);
	await database.db.execute(
		"update market_index.collection set total_supply = 521, supply_at = $2 where id = $1",
		[id, new Date(NOW_MS - 5_000)],
	);
	const before = (await everything()).detail;
	expect(before.market.totalSupply).toBe(521);
	expect(before.mint.mintedSupply).toBeNull();
	expect(before.figures.mintedSupply.reason).toBe("not_covered");
	const asOf = new Date(NOW_MS - 5_000).toISOString();
	expect(before.figures.totalSupply).toMatchObject({ value: 521, source: "chain", asOf });
	await fixture.seed(ethereum, [mintOf(contract, { quantity: 5n, occurredAtMs: NOW_MS - 1_000 })]);
	const seen = (await everything()).detail;
	expect(seen.mint).toMatchObject({ mintedSupply: 5, mints1h: 1 });
	expect(seen.mint.coverage.mintedSupply).toMatchObject({
		from: new Date(NOW_MS - HOUR_MS).toISOString(),
		fraction: 0.0095,
	});
	await database.db.execute(
		`insert into market_index.ownership
			(collection_id, chain_id, address, next_block, end_block, owners, minted)
		values ($1, 1, $2, 11, 10, 125, 526)`,
		[id, Buffer.from(contract.slice(2), "hex")],
	);
	const walked = (await everything()).detail;
	expect(walked.mint).toMatchObject({ mintedSupply: 526, coverage: {} });
	expect(walked.figures.mintedSupply).toMatchObject({ source: "walk", coverage: { fraction: 1 } });
	expect(walked.figures.ownersCount).toMatchObject({ value: 125, source: "walk" });
});

test("[MRG-02] upcoming requires an announced mint that is not over", async () => {
	await register();
	const announce = (endsAtMs: number) =>
		database.db.execute(
			`insert into market_index.drop
				(chain_id, contract, provider_slug, type, is_minting, stages, ends_at, seen_at)
			values (1, $1, 'harbor', 'seadrop_v1_erc721', false, '[]', $2, now())
			on conflict (chain_id, contract) do update set ends_at = excluded.ends_at`,
			[Buffer.from(contract.slice(2), "hex"), new Date(endsAtMs)],
		);
	const shown = async () => {
		const { detail, trending, discover } = await everything();
		expect([trending.lifecycle, discover.lifecycle]).toEqual(
			Array(2).fill(detail.market.lifecycle),
		);
		const found = await ask("/trending?chain=ethereum&lifecycle=upcoming");
		expect(found.body.rows.length).toBe(detail.market.lifecycle === "upcoming" ? 1 : 0);
		return detail.market.lifecycle;
	};
	expect(await shown()).toBeNull();
	await announce(NOW_MS + 1);
	expect(await shown()).toBe("upcoming");
	await announce(NOW_MS);
	expect(await shown()).toBeNull();
});

test("[MRG-02] holders, listings, offers, depth and traits that were not read are null, not empty", async () => {
	await register();
	await database.db.execute("update market_index.collection set provider_owners = 125");
	const unread = { data: null, page: { nextCursor: null, hasMore: false } };
	for (const tail of ["holders", "listings", "offers", "traits", "listings?tokenId=7"]) {
		expect((await ask(`/collections/harbor/${tail}`)).body).toMatchObject(unread);
	}
	const depth = async () => (await ask("/collections/harbor/depth")).body;
	expect(await depth()).toMatchObject({ asks: null, bids: null, bookReadAt: null });
	// What was pushed is no book: the cheapest of it is not the cheapest one.
	ask = createAsk({ ...fixture, providerHealth: withProvider });
	await seedOrder(database.db, { collectionId: id });
	await seedOrder(database.db, { collectionId: id, kind: "collection_offer", tokenId: null });
	const lists = async () =>
		Promise.all(
			["listings", "offers"].map(async (tail) => {
				const { data, reason, bookReadAt } = (await ask(`/collections/harbor/${tail}`)).body;
				return [data?.length ?? data, reason, bookReadAt];
			}),
		);
	const none = (reason: string) => [null, reason, null];
	expect(await lists()).toEqual([none("not_read"), none("not_read")]);
	expect(await depth()).toMatchObject({ asks: null, bids: null, reason: "not_read" });
	// Plans have the listings of a book read and not its offers.
	await markBookRead(database.db, id, { offers: false });
	const at = new Date(NOW_MS).toISOString();
	expect(await lists()).toEqual([[1, null, at], none("not_read")]);
	const half = await depth();
	expect([half.asks.length, half.bids, half.reason, half.bookReadAt]).toEqual([
		...[1, null, "not_read", null],
	]);
	await markBookRead(database.db, id);
	expect(await lists()).toEqual([
		[1, null, at],
		[1, null, at],
	]);
	await database.db.execute("update market_index.sync set traits_at = $1", [new Date(NOW_MS)]);
	expect(await depth()).toMatchObject({ reason: null, bookReadAt: at });
	expect((await ask("/collections/harbor/traits")).body.data).toEqual([]);
});

test("a book that will not be read says so: no provider, or one that does not know the collection", async () => {
	await register();
	const told = (providerHealth: Fixture["providerHealth"]) =>
		createAsk({ ...fixture, providerHealth })("/collections/harbor/listings");
	const reason = async () => (await told(withProvider)).body.reason;
	expect(await reason()).toBe("not_read");
	await database.db.execute(
		"insert into market_index.sync (collection_id, chain_id, named_at) values ($1, 1, $2)",
		[id, new Date(NOW_MS)],
	);
	expect(await reason()).toBe("unknown_to_provider");
	const { body } = await told(() => ({ ...withProvider(), isOn: false }));
	expect(body).toMatchObject({ data: null, reason: "provider_off" });
});

test("[API-18] a list that was not read has no time, and one that was read has its own", async () => {
	await register();
	const { freshness } = await everything();
	for (const { listRefreshedAt, servedAt } of freshness) {
		expect([listRefreshedAt, servedAt]).toEqual([null, new Date(NOW_MS).toISOString()]);
	}
	const readAtMs = NOW_MS - 90_000;
	fixture.lists.listFor = async () => ({ rows: [], refreshedAtMs: readAtMs, isWarm: true });
	const { body } = await ask("/collections?chain=ethereum&mode=top");
	expect(body.freshness.listRefreshedAt).toBe(new Date(readAtMs).toISOString());
});

test("floors and owners from the provider have the time at which they were read", async () => {
	await register();
	fixture.prices.setEth(3_000);
	const stats = {
		floor: { value: 0.5, symbol: "ETH" },
		owners: 125,
		volumeTotal: null,
		salesTotal: null,
		raw: { total: { floor_price: 0.5, floor_price_symbol: "ETH", num_owners: 125 } },
	};
	const tell = (atMs: number, told: Parameters<typeof storeStats>[2]["stats"]) =>
		database.db.transaction((tx) =>
			storeStats(
				tx,
				{ outbox: { append: () => {} }, prices: fixture.prices, nowMs: atMs, askedAtMs: atMs },
				{ chain: ethereum, collection: { id, chainId: 1, address: contract }, stats: told },
			),
		);
	const firstMs = NOW_MS - 120_000;
	await tell(firstMs, stats);
	// Told later without owners and floor: what stands is of the time it was told.
	await tell(NOW_MS - 30_000, { ...stats, owners: 0, floor: null });
	const { detail, tiles } = await everything();
	const told = { source: "provider", asOf: new Date(firstMs).toISOString(), coverage: null };
	expect(detail.figures.floorNative).toMatchObject({ value: 0.5, ...told });
	expect(detail.figures.ownersCount).toMatchObject({ value: 125, ...told });
	expect(tiles["floor"]).toMatchObject({ value: 0.5, valueRaw: (ETH / 2n).toString(), ...told });
	expect(tiles["owners"]).toMatchObject({ value: 125, ...told });
});

test("coverageEnd is the earlier one of the lanes' and of the provider's events", async () => {
	await register();
	lanes(0);
	fixture.providerHealth = () => ({ isOn: true, isConnected: true, stream: "off" });
	const end = async () => (await everything()).detail.market.sync.coverageEnd;
	// The provider may know of sales that no lane decodes, and was never asked.
	expect(await end()).toBeNull();
	await database.db.execute(
		"insert into market_index.sync (collection_id, chain_id, events_until) values ($1, 1, $2)",
		[id, new Date(NOW_MS - 300_000)],
	);
	expect(await end()).toBe(new Date(NOW_MS - 300_000).toISOString());
	await database.db.execute("update market_index.sync set events_until = $1", [
		new Date(NOW_MS + 5_000),
	]);
	expect(await end()).toBe(new Date(NOW_MS).toISOString());
});
