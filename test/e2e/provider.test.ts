import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { until } from "#test/harness/until.ts";
import { endOrder } from "#test/sandbox/provider/market/applyBlock.ts";

// Guarantee: the market shows the marketplace's collections by themselves, with names, pictures,
// floors, listings and ranks, and every figure is the one that the marketplace itself gives.

const SLUGS = ["kiln-folk", "night-ferry", "tidewater-postcards"];
/** A client has its page open: the only collection whose order book is read. */
const OPENED = "kiln-folk";
/** Nothing of it is for sale: all listings were cancelled. */
const EMPTY = "night-ferry";

let lab: MarketLab;
let booksRead: string[];
beforeAll(async () => {
	lab = await openMarketLab({ only: SLUGS, env: { NFT_OWNERSHIP_WALKS_MAX: "20" } });
	const market = lab.emulator.market();
	for (const order of [...(market.collections.get(EMPTY)?.open ?? [])]) {
		if (order.kind === "listing") endOrder(market, order, "CANCELLED");
	}
	await lab.runJob("discovery");
	await lab.drainQueue();
	await lab.read(`/collections/${OPENED}?chain=anvil`);
	// Opening a page starts the watch, but does not wait for it.
	await until(isWatched, "what was opened is watched");
	await lab.runJob("order-books");
	await lab.runJob("drops");
	await lab.drainQueue();
	booksRead = Object.keys(lab.emulator.calls().byPath).flatMap((call) => {
		return /\/listings\/collection\/([^/]+)\/all$/.exec(call)?.[1] ?? [];
	});
	// Past the cache: the page from before all this is not served any more.
	lab.advance(120_000);
});
afterAll(() => lab?.close());

async function isWatched(): Promise<boolean> {
	const rows = await lab.service.core.db.query(
		"select from market_index.sync where watched_until is not null",
	);
	return rows.length > 0;
}

const path = (slug: string, rest = "") => `/collections/${slug}${rest}?chain=anvil`;
async function rows(): Promise<Map<string, any>> {
	const { normalized } = await lab.read("/collections?chain=anvil&mode=trending&limit=50");
	return new Map(normalized.map((row: any) => [row.slug, row]));
}
async function everyPage(url: string): Promise<any[]> {
	const all: any[] = [];
	for (let cursor = ""; ; ) {
		const { data, page } = await lab.read(`${url}&limit=7${cursor}`);
		all.push(...data);
		if (!page.hasMore) return all;
		cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
	}
}
async function everyOrder(url: string, key: "listings" | "offers"): Promise<any[]> {
	const all: any[] = [];
	for (let next = ""; ; ) {
		const body = await lab.provider(`${url}?limit=200${next}`);
		all.push(...body[key]);
		if (!body.next) return all;
		next = `&next=${encodeURIComponent(body.next)}`;
	}
}
const hashOf = (order: any) => order.order_hash ?? order.orderHash;

test("[API-17] [IDX-01] [MRG-17] the list has every collection by name, with the provider's figures", async () => {
	const list = await rows();
	expect([...list.keys()].sort()).toEqual([...SLUGS].sort());
	for (const slug of SLUGS) {
		const row = list.get(slug);
		const told = await lab.provider(`/collections/${slug}`);
		const { total, intervals } = await lab.provider(`/collections/${slug}/stats`);
		expect(row).toMatchObject({
			name: told.name,
			imageUrl: told.image_url,
			contractAddress: lab.addressOf(slug),
			syncStatus: "synced",
			totalSupply: told.total_supply,
			ownersCount: total.num_owners,
			sales24h: intervals.find((one: any) => one.interval === "one_day").sales,
			floorNative: total.floor_price_symbol === "ETH" ? total.floor_price : null,
		});
		expect(row.imageUrl).toMatch(/^data:image|^https:/);
		const listings = await everyOrder(`/listings/collection/${slug}/all`, "listings");
		const tokens = new Set(listings.map(({ asset }) => asset.identifier));
		expect(row.listedCount).toBe(tokens.size);
	}
});

test("[MRG-02] [MRG-05] a collection with nothing for sale has a floor of null, and never 0", async () => {
	const { total } = await lab.provider(`/collections/${EMPTY}/stats`);
	expect(total).toMatchObject({ floor_price: 0, floor_price_symbol: "" });
	const { market, stats } = await lab.read(path(EMPTY));
	expect(market).toMatchObject({ floor: null, floor_price: null, floorNative: null });
	expect(market.listedCount).toBe(0);
	expect(stats.data.total.floor_price).toBeNull();
});

test("[API-03] [MRG-06] raw rows are the provider's own, and name their chain in contracts only", async () => {
	const { data } = await lab.read("/collections?chain=anvil&mode=top&limit=50");
	const told = await lab.provider("/collections/top?chains=anvil");
	const slugs = (list: any[]) => list.map(({ collection }) => collection);
	expect(slugs(data.collections)).toEqual(slugs(told.collections));
	for (const row of data.collections) {
		expect(row.contracts).toEqual([{ address: lab.addressOf(row.collection), chain: "anvil" }]);
	}
});

test("[IDX-02] a floor in dollars is the floor in ether at the feed's rate", async () => {
	const { market, stats } = await lab.read(path(OPENED));
	const { total } = await lab.provider(`/collections/${OPENED}/stats`);
	expect(market.floor).toBe(total.floor_price);
	expect(stats.data.total).toMatchObject({
		floor_price: total.floor_price,
		floor_price_symbol: "ETH",
	});
	const rate = market.floor_price_usd / market.floor_price;
	const { lastSale } = await lab.read(path(OPENED));
	expect(rate).toBeGreaterThan(1_000);
	expect(Math.abs(lastSale.priceUsd / lastSale.priceNative / rate - 1)).toBeLessThan(0.2);
	expect(market.health.providerConnected).toBe(true);
});

test("[MRG-01] [MRG-16] the book of an opened collection equals the provider's, and no other is read", async () => {
	for (const [side, key] of [
		["listings", "listings"],
		["offers", "offers"],
	] as const) {
		const told = await everyOrder(`/${side}/collection/${OPENED}/all`, key);
		const got = await everyPage(path(OPENED, `/${side}`));
		expect(got.length).toBeGreaterThan(5);
		expect(got.map(hashOf).sort()).toEqual(told.map(hashOf).sort());
		for (const order of told) {
			const { value } = order.price.current ?? order.price;
			expect(got.find((one) => one.orderHash === order.order_hash)?.totalRaw).toBe(value);
		}
		const prices = got.map(({ priceNative }) => priceNative);
		const order = side === "listings" ? 1 : -1;
		expect(prices).toEqual([...prices].sort((a, b) => (a - b) * order));
	}
	expect(booksRead).toEqual([OPENED]);
});

test("[API-20] depth has a level for each price, the best of both sides first", async () => {
	const { asks, bids } = await lab.read(path(OPENED, "/depth"));
	const listings = await everyPage(path(OPENED, "/listings"));
	const offers = await everyPage(path(OPENED, "/offers"));
	const wide = offers.filter(({ kind }) => kind === "collection_offer");
	for (const [levels, orders] of [
		[asks, listings],
		[bids, wide],
	]) {
		const units = Map.groupBy(orders, (order: any) => order.priceNative);
		expect(levels.map((level: any) => level.priceNative)).toEqual([...units.keys()].slice(0, 50));
		for (const level of levels) expect(level.orders).toBe(units.get(level.priceNative)?.length);
	}
	const { market } = await lab.read(path(OPENED));
	expect(asks[0].priceNative).toBe(market.floor);
});

test("[MRG-03] [API-20] holders equal those on the chain", async () => {
	for (const slug of SLUGS) {
		const told = await lab.provider(`/collections/${slug}/holders?limit=100`);
		const got = await everyPage(path(slug, "/holders"));
		const line = ({ address, units, quantity }: any) => `${address} ${units ?? quantity}`;
		expect(got.map(line).sort()).toEqual(told.holders.map(line).sort());
	}
});

test("[IDX-06] [IDX-07] [IDX-08] [API-13] tokens have their traits, counts of them and ranks", async () => {
	const contract = lab.addressOf(OPENED);
	const counts = await everyPage(path(OPENED, "/traits"));
	const told = await lab.provider(`/traits/${OPENED}`);
	const pairs = Object.entries<Record<string, number>>(told.counts).flatMap(([type, values]) =>
		Object.entries(values).map(([value, count]) => `${type}/${value} ${count}`),
	);
	expect(counts.map((one) => `${one.type}/${one.value} ${one.count}`).sort()).toEqual(pairs.sort());
	const listings = await lab.read(path(OPENED, "/listings"));
	const [cheapest] = listings.data;
	const asset = await lab.read(`/assets/anvil/${contract}/${cheapest.tokenId}`);
	const { nft } = await lab.provider(`/chain/anvil/contract/${contract}/nfts/${cheapest.tokenId}`);
	expect(asset).toMatchObject({ name: nft.name, imageUrl: nft.image_url, owner: cheapest.maker });
	expect(asset.tokenUriHash).toMatch(/^0x[0-9a-f]{64}$/);
	expect(asset.traits).toEqual(nft.traits);
	const supply = (await lab.provider(`/collections/${OPENED}`)).total_supply;
	expect(asset.rank).toBeGreaterThanOrEqual(1);
	expect(asset.rank).toBeLessThanOrEqual(supply);
	for (const { trait_type: type, value } of asset.traits) {
		const row = counts.find((one) => one.type === type && one.value === value);
		expect(row.floorNative).toBe(cheapest.priceNative);
	}
});

test("[API-14] search finds a collection by a part of its name, with its own figures", async () => {
	const { data } = await lab.read("/search?chain=anvil&q=ferry");
	const { results } = await lab.provider("/search?query=ferry");
	expect(data.map(({ slug }: any) => slug)).toEqual([results[0].collection.collection]);
	expect(data[0]).toMatchObject({ source: "svc_index", contractAddress: lab.addressOf(EMPTY) });
});

test("[MRG-14] [API-20] drops equal the provider's, with their stages", async () => {
	const { data } = await lab.read("/drops?chain=anvil");
	expect(data.map(({ slug }: any) => slug).sort()).toEqual([...SLUGS].sort());
	for (const drop of data) {
		const told = await lab.provider(`/drops/${drop.slug}`);
		expect(drop.state === "minting").toBe(told.is_minting);
		expect(drop.stages.map(({ priceRaw }: any) => priceRaw)).toEqual(
			told.stages.map(({ price }: any) => price),
		);
	}
});

test("[API-15] a quote is the sum of the cheapest listings, its fees and the gas to fill them", async () => {
	const { data } = await lab.read(path(OPENED, "/listings"));
	const response = await fetch(`${lab.service.url}/v1/nft-market/quote-estimate`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ chain: "anvil", slug: OPENED, quantity: 2 }),
	});
	expect(response.status).toBe(200);
	const quote: any = await response.json();
	expect(quote.listings.map(hashOf)).toEqual(data.slice(0, 2).map(hashOf));
	const sum = data[0].priceNative + data[1].priceNative;
	expect(quote.subtotal.native).toBeCloseTo(sum, 12);
	expect(quote.total.native).toBeCloseTo(sum + quote.gas.native, 12);
	expect(quote.gas.native).toBeGreaterThan(0);
	expect(quote.fees.native).toBeGreaterThan(0);
	expect(quote.fees.native).toBeLessThan(sum / 2);
});
