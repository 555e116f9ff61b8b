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
import { markBookRead, seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0x100);

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string, body?: unknown) => Promise<Answer>;

const offerer = contractOf(0xaaaa);
const consideration = [
	{ recipient: offerer, startAmount: String((95n * ETH) / 100n), itemType: 0 },
	{ recipient: contractOf(0xfee), startAmount: String((5n * ETH) / 100n), itemType: 0 },
];

const NO_PRICE = {
	...{ price: { native: null }, subtotal: { native: null }, total: { native: null } },
	listings: [],
};

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	fixture.prices.setEth(2_000);
	await fixture.seed(ethereum, [saleOf(CATS)]);
	const collectionId = await fixture.idOf(ethereum, CATS);
	await markBookRead(database.db, collectionId);
	const signed = { protocolData: { parameters: { offerer, consideration } } };
	const seed = (given: Parameters<typeof seedOrder>[1]) => seedOrder(database.db, given);
	await seed({ collectionId, tokenId: 1n, ...signed });
	await seed({ collectionId, tokenId: 2n, totalRaw: 2n * ETH });
	// None of these can be bought by whoever asks.
	await seed({ collectionId, totalRaw: 1n, isPrivate: true });
	await seed({ collectionId, totalRaw: 1n, isActive: false });
	await seed({ collectionId, totalRaw: 1n, expiresAtMs: NOW_MS });
	await seed({ collectionId, totalRaw: 1n, kind: "collection_offer", tokenId: null });
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

test("[API-15] an estimate has price, subtotal, fee, gas and total", async () => {
	const { status, body } = await ask("/quote-estimate", { slug: CATS, chain: "ethereum" });
	expect(status).toBe(200);
	// 190,000 units at a gwei.
	expect(body).toMatchObject({
		quantity: 1,
		availableUnits: 1,
		price: { native: 1, usd: 2_000 },
		subtotal: { native: 1, usd: 2_000 },
		fees: { native: 0.05, usd: 100, includedInPrice: true },
		gas: { native: 0.00019, units: "190000", priceWei: "1000000000" },
		total: { native: 1.00019 },
	});
	expect(body.listings).toMatchObject([{ tokenId: "1", units: "1", priceNative: 1 }]);
});

test("[API-15] a quote has the number of units that the book lacks, and unknown fees as null", async () => {
	const { body } = await ask("/quote-estimate", { slug: CATS, quantity: 5 });
	expect(body).toMatchObject({
		quantity: 5,
		availableUnits: 2,
		price: { native: 1.5 },
		subtotal: { native: 3 },
		fees: { native: null, usd: null },
	});
});

test("[API-15] a quote can be for one token or one order, and says if nothing is for sale", async () => {
	const one = await ask("/quote-estimate", { slug: CATS, tokenId: "2" });
	expect(one.body.subtotal).toEqual({
		native: 2,
		nativeRaw: (2n * ETH).toString(),
		usd: 4_000,
	});
	const { orderHash } = one.body.listings[0];
	const upper = `0x${orderHash.slice(2).toUpperCase()}`;
	const same = await ask("/quote-estimate", { slug: CATS, orderHash: upper });
	expect(same.body.listings).toHaveLength(1);
	const none = await ask("/quote-estimate", { slug: CATS, tokenId: "77" });
	expect(none.body).toMatchObject({
		availableUnits: 0,
		bookReadAt: new Date(NOW_MS).toISOString(),
		...NO_PRICE,
	});
});

test("a quote of a book that was never read is unknown, whatever was pushed; a named order is known", async () => {
	const contract = contractOf(0x101);
	await fixture.seed(ethereum, [saleOf(contract)]);
	const collectionId = await fixture.idOf(ethereum, contract);
	const { orderHash } = await seedOrder(database.db, { collectionId, totalRaw: 3n * ETH });
	const unread = { availableUnits: null, bookReadAt: null, ...NO_PRICE };
	expect((await ask("/quote-estimate", { slug: contract })).body).toMatchObject(unread);
	const named = await ask("/quote-estimate", { slug: contract, orderHash });
	expect(named.body).toMatchObject({ availableUnits: 1, price: { native: 3 } });
	await markBookRead(database.db, collectionId);
	const read = await ask("/quote-estimate", { slug: contract });
	expect(read.body).toMatchObject({ availableUnits: 1, price: { native: 3 } });
});

test("[API-15] a quote's collection is named by slug, by contract, or by both, which have to agree", async () => {
	const { normalized } = (await ask("/collections?chain=ethereum&mode=top")).body;
	const { slug } = normalized.find((row: any) => row.contractAddress === CATS);
	const bySlug = await ask("/quote-estimate", { slug, chain: "ethereum" });
	const upper = `0x${CATS.slice(2).toUpperCase()}`;
	for (const named of [{ contract: upper }, { contract: CATS, slug }]) {
		const { body } = await ask("/quote-estimate", { ...named, chain: "ethereum" });
		expect(body.subtotal).toEqual(bySlug.body.subtotal);
	}
	const other = { slug, contract: `0x${"ab".repeat(20)}` };
	expect((await ask("/quote-estimate", other)).body.issues).toEqual([
		{ path: "contract", message: "is another collection than the one that `slug` names" },
	]);
});

test("[API-15] a body with missing, unknown or invalid members is refused", async () => {
	const bad = [
		{},
		{ slug: CATS, quantity: 0 },
		{ slug: CATS, quantity: 51 },
		{ slug: CATS, quantity: 1.5 },
		{ slug: CATS, tokenId: 7 },
		{ slug: CATS, orderHash: "0x12" },
		{ slug: CATS, chain: "solana" },
		// Dropped in silence, it would be an estimate of one.
		{ slug: CATS, quantitiy: 5 },
	];
	for (const body of bad) {
		const answer = await ask("/quote-estimate", body);
		expect({ body, status: answer.status, code: answer.body.code }).toEqual({
			body,
			status: 422,
			code: "validation_error",
		});
	}
	const { body } = await ask("/quote-estimate", { slug: CATS, foo: 1 });
	expect(body.issues).toEqual([{ path: "foo", message: "is not a known member" }]);
	expect((await ask("/quote-estimate", { slug: "nobody" })).status).toBe(404);
});
