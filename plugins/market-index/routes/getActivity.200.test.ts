import { afterAll, beforeAll, expect, test } from "bun:test";
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
import { randomTrades, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const BUSY = contractOf(0x100);
const OTHER = contractOf(0x101);
const BLOCK_MS = NOW_MS - 1_000;
/** Three months, so that pages cross partitions, and a crowd in one block. */
const events = [
	...randomTrades({ seed: 11, contracts: [BUSY, OTHER], count: 300, days: 70 }),
	...Array.from({ length: 40 }, (_, index) =>
		(index % 2 ? mintOf : saleOf)(BUSY, { occurredAtMs: BLOCK_MS, logIndex: 7, subIndex: index }),
	),
];

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, events);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

/** Newest first, by time and then by place in the block. */
function expectedIds(kind?: string) {
	return events
		.filter((event) => event.contract === BUSY && (!kind || event.kind === kind))
		.sort(
			(a, b) =>
				b.occurredAtMs - a.occurredAtMs ||
				b.blockNumber - a.blockNumber ||
				b.logIndex - a.logIndex ||
				b.subIndex - a.subIndex,
		)
		.map(({ blockHash, logIndex, subIndex }) => `${blockHash}:${logIndex}:${subIndex}`);
}

async function walk(query: string): Promise<string[]> {
	const ids: string[] = [];
	let cursor = "";
	do {
		const { body } = await ask(`/collections/${BUSY}/activity?${query}${cursor}`);
		ids.push(...body.data.map(({ id }: { id: string }) => id));
		expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
		cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
	} while (cursor !== "");
	return ids;
}

test("[API-09] pages of any size give each event once, newest first, across blocks and months", async () => {
	const all = expectedIds();
	for (const limit of [1, 7, 50, 200]) expect(await walk(`limit=${limit}`)).toEqual(all);
});

test("[API-09] type leaves only events of that kind", async () => {
	expect(await walk("type=sale&limit=9")).toEqual(expectedIds("sale"));
	expect(await walk("type=mint&limit=9")).toEqual(expectedIds("mint"));
	expect(await walk("type=transfer")).toEqual([]);
});

test("[API-09] a page is 50 unless asked, and the last one has no cursor", async () => {
	const { body } = await ask(`/collections/${BUSY}/activity`);
	expect(body.data).toHaveLength(50);
	const exact = expectedIds("mint").length;
	const whole = await ask(`/collections/${BUSY}/activity?type=mint&limit=${exact}`);
	expect(whole.body.page).toEqual({ nextCursor: null, hasMore: false });
});

test("[IDX-12] [API-09] a row has every field of an event; image and traits are the payload's", async () => {
	const contract = contractOf(0x102);
	const payload = {
		image_url: "https://images.test/a.png",
		display_image_url: "https://images.test/b.png",
		traits: [{ trait_type: "Hat", value: "Red" }],
	};
	const sale = saleOf(contract, { quantity: 2n, totalRaw: 3n * ETH, payload, tokenId: 9n });
	await fixture.seed(ethereum, [sale]);
	const { body } = await ask(`/collections/${contract}/activity`);
	expect(body.data).toEqual([
		{
			id: `${sale.blockHash}:${sale.logIndex}:0`,
			chain: "ethereum",
			contractAddress: contract,
			eventType: "sale",
			accepted: true,
			reason: null,
			onchainVerified: true,
			transactionHash: sale.transactionHash,
			blockNumber: sale.blockNumber,
			logIndex: sale.logIndex,
			tokenId: "9",
			quantity: "2",
			from: sale.from,
			to: sale.to,
			venue: "seaport",
			priceNative: 1.5,
			priceUsd: null,
			amountRaw: (1_500n * 10n ** 15n).toString(),
			totalRaw: (3n * ETH).toString(),
			settlementCurrency: { symbol: "ETH", address: contractOf(0), decimals: 18 },
			occurredAt: new Date(sale.occurredAtMs).toISOString(),
			imageUrl: "https://images.test/a.png",
			traits: [{ trait_type: "Hat", value: "Red" }],
			providerPayload: payload,
		},
	]);
});

test("[IDX-12] the image falls back to display_image_url; mints, transfers and refusals are told", async () => {
	const contract = contractOf(0x103);
	const display = { display_image_url: "https://images.test/b.png" };
	await fixture.seed(ethereum, [
		mintOf(contract, { occurredAtMs: NOW_MS - 3_000, payload: display }),
		saleOf(contract, { occurredAtMs: NOW_MS - 2_000, accepted: false, reason: "self_trade" }),
		saleOf(contract, {
			occurredAtMs: NOW_MS - 1_000,
			kind: "transfer",
			totalRaw: null,
			currency: null,
		}),
	]);
	const { body } = await ask(`/collections/${contract}/activity`);
	expect(body.data).toMatchObject([
		{ eventType: "transfer", priceNative: null, amountRaw: null, settlementCurrency: null },
		{ eventType: "sale", accepted: false, reason: "self_trade" },
		{ eventType: "mint", priceNative: 0, imageUrl: "https://images.test/b.png" },
	]);
});

test("an amount in a currency without a rate is told raw, with its currency and no price", async () => {
	const contract = contractOf(0x104);
	await fixture.seed(ethereum, [saleOf(contract, { currency: STRANGE_COIN, totalRaw: 25n })]);
	const row = async () => (await ask(`/collections/${contract}/activity`)).body.data[0];
	expect(await row()).toMatchObject({
		priceNative: null,
		amountRaw: "25",
		settlementCurrency: { symbol: null, address: STRANGE_COIN, decimals: null },
	});
	await database.db.execute(
		"update market_index.currency set symbol = 'ODD', decimals = 6 where address = $1",
		[Buffer.from(STRANGE_COIN.slice(2), "hex")],
	);
	expect(await row()).toMatchObject({
		settlementCurrency: { symbol: "ODD", address: STRANGE_COIN, decimals: 6 },
	});
});
