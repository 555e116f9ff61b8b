import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice } from "#plugins/market-index/testing/randomTrades.ts";
import {
	markBookRead,
	type SeededOrder,
	seedOrder,
} from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0x100);
const BARE = contractOf(0x101);

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;
const book: SeededOrder[] = [];

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(CATS), saleOf(BARE)]);
	ask = createAsk(fixture);
	const collectionId = await fixture.idOf(ethereum, CATS);
	await markBookRead(database.db, collectionId);
	const dice = createDice(5);
	const kinds = ["listing", "item_offer", "collection_offer", "trait_offer"] as const;
	for (let index = 0; index < 120; index++) {
		const kind = kinds[dice(4)] ?? "listing";
		const totalRaw = (BigInt(1 + dice(20)) * ETH) / 10n;
		const isItem = kind === "listing" || kind === "item_offer";
		book.push(
			await seedOrder(database.db, {
				collectionId,
				kind,
				totalRaw,
				tokenId: isItem ? BigInt(dice(30)) : null,
				unitNative: dice(8) === 0 ? null : totalRaw,
				isActive: dice(10) !== 0,
				isPrivate: dice(12) === 0,
				expiresAtMs: dice(10) === 0 ? NOW_MS : null,
				startsAtMs: dice(10) === 0 ? NOW_MS + 1 : null,
			}),
		);
	}
});
afterAll(() => database.drop());

const canBeFilled = ({ isActive, expiresAtMs, startsAtMs }: SeededOrder) =>
	isActive && expiresAtMs === null && startsAtMs === null;

function expected(kinds: readonly string[], sign: 1 | -1): string[] {
	return book
		.filter((order) => canBeFilled(order) && kinds.includes(order.kind))
		.sort((a, b) => {
			if (a.unitNative === null || b.unitNative === null) {
				if (a.unitNative !== null) return -1;
				if (b.unitNative !== null) return 1;
			} else if (a.unitNative !== b.unitNative) return a.unitNative < b.unitNative ? -sign : sign;
			return a.orderHash < b.orderHash ? -1 : 1;
		})
		.map(({ orderHash }) => orderHash);
}

async function walk(path: string): Promise<string[]> {
	const hashes: string[] = [];
	let cursor = "";
	do {
		const { status, body } = await ask(`${path}${cursor}`);
		expect(status).toBe(200);
		hashes.push(...body.data.map(({ orderHash }: { orderHash: string }) => orderHash));
		expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
		cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
	} while (cursor !== "");
	return hashes;
}

test("[API-20] listings are returned cheapest first, each once, on pages of any size; unknown prices last", async () => {
	for (const limit of [1, 7, 200]) {
		const found = await walk(`/collections/${CATS}/listings?limit=${limit}`);
		expect(found).toEqual(expected(["listing"], 1));
	}
});

test("[API-20] offers are returned highest first, of one kind or of all", async () => {
	const offers = ["item_offer", "collection_offer", "trait_offer"];
	for (const limit of [3, 200]) {
		expect(await walk(`/collections/${CATS}/offers?limit=${limit}`)).toEqual(expected(offers, -1));
	}
	expect(await walk(`/collections/${CATS}/offers?kind=trait_offer&limit=2`)).toEqual(
		expected(["trait_offer"], -1),
	);
});

test("rows have chain, contract, slug, picture, rank, traits, US dollars and a link", async () => {
	const { db } = database;
	const contract = contractOf(0x103);
	await fixture.seed(ethereum, [saleOf(contract)]);
	const collectionId = await fixture.idOf(ethereum, contract);
	await markBookRead(db, collectionId);
	await db.execute(
		"update market_index.collection set slug = 'harbor', image_url = 'ipfs://all' where id = $1",
		[collectionId],
	);
	await db.execute(
		`insert into market_index.token (collection_id, token_id, name, image_url, traits, rank)
		values ($1, 7, 'Harbor 7', 'ipfs://seven', $2::jsonb, 3)`,
		[collectionId, JSON.stringify([{ type: "Hat", value: "Red" }])],
	);
	await seedOrder(db, { collectionId, tokenId: 7n });
	await seedOrder(db, { collectionId, tokenId: 8n, totalRaw: 2n * ETH });
	await seedOrder(db, { collectionId, tokenId: null, kind: "collection_offer" });
	fixture.prices.setEth(2_000);
	const of = async (side: string) => (await ask(`/collections/harbor/${side}`)).body.data;
	const all = { chain: "ethereum", contractAddress: contract, slug: "harbor" };
	const link = `https://etherscan.io/token/${contract}`;
	expect(await of("listings")).toMatchObject([
		{
			...{ ...all, tokenName: "Harbor 7", imageUrl: "ipfs://seven", rank: 3, priceUsd: 2_000 },
			...{ traits: [{ trait_type: "Hat", value: "Red" }], explorerUrl: `${link}?a=7` },
		},
		{
			...{ ...all, tokenName: null, imageUrl: null, rank: null, traits: null },
			explorerUrl: `${link}?a=8`,
		},
	]);
	const [offer] = await of("offers");
	expect(offer).toMatchObject({ ...all, imageUrl: "ipfs://all", rank: null, explorerUrl: link });
});

test("[API-20] a token's orders have prices for one unit, and null for what is unknown", async () => {
	const contract = contractOf(0x102);
	await fixture.seed(ethereum, [saleOf(contract)]);
	const collectionId = await fixture.idOf(ethereum, contract);
	await markBookRead(database.db, collectionId);
	const odd = { collectionId, tokenId: 7n, quantity: 2n, totalRaw: 3n * ETH };
	const { orderHash } = await seedOrder(database.db, { ...odd, unitNative: (3n * ETH) / 2n });
	await seedOrder(database.db, { collectionId, tokenId: 8n });
	fixture.prices.setEth(2_000);
	const { body } = await ask(`/collections/${contract}/listings?tokenId=7`);
	expect(body.data).toHaveLength(1);
	expect(body.data[0]).toMatchObject({
		orderHash,
		priceNative: 1.5,
		priceUsd: 3_000,
		quantity: "2",
		amountRaw: ((3n * ETH) / 2n).toString(),
		totalRaw: (3n * ETH).toString(),
		settlementCurrency: { symbol: "ETH", decimals: 18 },
	});
	fixture.prices.setEth(null);
	const unknown = await ask(`/collections/${contract}/listings?tokenId=7`);
	expect(unknown.body.data[0].priceUsd).toBeNull();
});

test("[API-20] depth sums the price levels of listings and of offers on the collection", async () => {
	const { body } = await ask(`/collections/${CATS}/depth`);
	const levels = (kind: string) => {
		const units = new Map<number | null, number>();
		for (const order of book) {
			const { unitNative, isPrivate } = order;
			if (order.kind !== kind || !canBeFilled(order) || isPrivate) continue;
			const price = unitNative === null ? null : Number(unitNative) / 1e18;
			units.set(price, (units.get(price) ?? 0) + 1);
		}
		return units;
	};
	const told = (side: { priceNative: number | null; orders: number; units: string }[]) =>
		side.map(({ priceNative, orders, units }) => [priceNative, orders, Number(units)]);
	// Those whose price nobody knows are one level, and come last.
	const key = (price: number | null, sign: number) => sign * (price ?? sign * Infinity);
	const asks = [...levels("listing")].sort(([a], [b]) => key(a, 1) - key(b, 1));
	const bids = [...levels("collection_offer")].sort(([a], [b]) => key(a, -1) - key(b, -1));
	for (const side of [asks, bids]) expect(side.at(-1)?.[0]).toBeNull();
	expect(told(body.asks)).toEqual(asks.map(([price, count]) => [price, count, count]));
	expect(told(body.bids)).toEqual(bids.map(([price, count]) => [price, count, count]));
	expect(asks.length).toBeGreaterThan(3);
	expect(bids.length).toBeGreaterThan(3);
});

test("[API-20] a collection whose book was not read gives null, and not an empty list", async () => {
	for (const tail of ["listings", "offers", "holders"]) {
		const { status, body } = await ask(`/collections/${BARE}/${tail}`);
		expect({ status, body }).toMatchObject({
			status: 200,
			body: { data: null, page: { nextCursor: null, hasMore: false } },
		});
		if (tail !== "holders") expect(body.bookReadAt).toBeNull();
	}
	const depth = (await ask(`/collections/${BARE}/depth`)).body;
	expect(depth).toMatchObject({ asks: null, bids: null, bookReadAt: null });
	await markBookRead(database.db, await fixture.idOf(ethereum, BARE));
	for (const tail of ["listings", "offers"]) {
		expect((await ask(`/collections/${BARE}/${tail}`)).body).toMatchObject({
			data: [],
			bookReadAt: new Date(NOW_MS).toISOString(),
		});
	}
	expect((await ask(`/collections/${BARE}/depth`)).body).toMatchObject({ asks: [], bids: [] });
});

test("an invalid cursor, an invalid token id and an unknown kind are refused", async () => {
	const bad = [
		"listings?cursor=abc",
		"listings?tokenId=0x1",
		"listings?tokenId=-1",
		`listings?tokenId=${2n ** 256n}`,
		"offers?kind=listing",
		"holders?cursor=MQ",
	];
	for (const tail of bad) {
		const { status, body } = await ask(`/collections/${CATS}/${tail}`);
		expect({ tail, status, code: body.code }).toEqual({
			tail,
			status: 422,
			code: "validation_error",
		});
	}
});
