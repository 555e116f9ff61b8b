import { describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type Currencies,
	PROVIDER_LOG_INDEX,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { renderEvent } from "#plugins/market-index/render/event.ts";
import { marketEventSchema } from "#plugins/market-index/schemas/event.ts";
import {
	base,
	contractOf,
	ETH,
	ethereum,
	mintOf,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { fakePrices } from "#test/harness/fakes.ts";

const HUGE = 2n ** 256n - 1n;
const CATS = contractOf(1);
const sale = (given: Partial<StoredEvent> = {}): StoredEvent => ({
	...saleOf(CATS),
	totalNative: given.totalRaw ?? ETH,
	...given,
});
const none: Currencies = new Map();
const prices = fakePrices();
const show = (given: Partial<StoredEvent> = {}, chain = ethereum, currencies = none) =>
	renderEvent(chain, sale(given), { currencies, prices });

test("[ING-15] an event without a known transaction shows null, not its substitute hash", () => {
	const transactionHash = `0x${"00".repeat(8)}${"ab".repeat(24)}` as const;
	const shown = show({ transactionHash });
	expect(shown.transactionHash).toBeNull();
	expect(marketEventSchema.parse(shown).transactionHash).toBeNull();
});

test("an event has a block position only if the chain contains it", () => {
	const onChain = { blockNumber: 7, logIndex: PROVIDER_LOG_INDEX - 1 };
	expect(show(onChain)).toMatchObject(onChain);
	const shown = show({ blockNumber: 7, logIndex: PROVIDER_LOG_INDEX });
	expect(marketEventSchema.parse(shown)).toMatchObject({ blockNumber: null, logIndex: null });
});

describe("[IDX-12] prices", () => {
	test("a price is for one unit, with the exact total beside it", () => {
		expect(show({ quantity: 3n, totalRaw: 10n * ETH, totalNative: 10n * ETH })).toMatchObject({
			quantity: "3",
			priceNative: 3.3333333333333335,
			amountRaw: "3333333333333333333",
			totalRaw: "10000000000000000000",
			priceUsd: null,
		});
	});

	test("prices are exact at any size", () => {
		expect(show({ quantity: 1n, totalRaw: HUGE, totalNative: HUGE, tokenId: HUGE })).toMatchObject({
			amountRaw: HUGE.toString(),
			totalRaw: HUGE.toString(),
			tokenId: HUGE.toString(),
		});
	});

	test("an unknown price is null and a free one 0", () => {
		const unknown = { totalRaw: 5n, totalNative: null, currency: STRANGE_COIN };
		expect(show(unknown)).toMatchObject({ priceNative: null, amountRaw: "5" });
		const untold = { totalRaw: null, totalNative: null, currency: null };
		expect(show(untold)).toMatchObject({
			priceNative: null,
			amountRaw: null,
			totalRaw: null,
			settlementCurrency: null,
		});
		const free = { ...mintOf(CATS), totalNative: 0n };
		expect(renderEvent(ethereum, free, { currencies: none, prices })).toMatchObject({
			priceNative: 0,
			amountRaw: "0",
		});
	});
});

describe("the settlement currency", () => {
	test("the settlement currency is the chain's coin, its wrapped form, or an ERC-20 by its contract", () => {
		expect(show({ currency: ZERO_ADDRESS }, polygon).settlementCurrency).toEqual({
			symbol: "POL",
			address: ZERO_ADDRESS,
			decimals: 18,
		});
		const { wrappedNative } = base;
		expect(show({ currency: wrappedNative }, base).settlementCurrency).toEqual({
			symbol: "WETH",
			address: wrappedNative,
			decimals: 18,
		} as never);
		const known = new Map([[STRANGE_COIN, { symbol: "ODD", decimals: 6 }]]);
		const odd = { currency: STRANGE_COIN };
		expect(show(odd, ethereum, known).settlementCurrency).toEqual({
			symbol: "ODD",
			address: STRANGE_COIN,
			decimals: 6,
		});
		expect(show(odd).settlementCurrency).toMatchObject({ symbol: null, decimals: null });
	});

	test("the settlement currency of the same address on another chain is unknown", () => {
		const foreign = { currency: ethereum.wrappedNative };
		expect(show(foreign, base).settlementCurrency).toMatchObject({ symbol: null });
	});
});

describe("[IDX-12] the image", () => {
	const [a, b] = ["https://images.test/a", "https://images.test/b"] as const;
	const images: [StoredEvent["payload"], string | null][] = [
		[{ image_url: a, display_image_url: b }, a],
		[{ image_url: "", display_image_url: b }, b],
		[{ image_url: null, display_image_url: b }, b],
		[{ display_image_url: b }, b],
		[{ image_url: 7, display_image_url: {} }, null],
		[{}, null],
		[null, null],
	];
	for (const [payload, imageUrl] of images) {
		test(`the image of ${JSON.stringify(payload)} is ${imageUrl}`, () => {
			expect(show({ payload })).toMatchObject({ imageUrl, providerPayload: payload });
		});
	}
});

test("traits are shown only if they are a list", () => {
	const list = [{ trait_type: "Hat", value: "Red" }];
	expect(show({ payload: { traits: list } }).traits).toEqual(list);
	for (const traits of [null, "x", {}, 1]) expect(show({ payload: { traits } }).traits).toBeNull();
});

test("texts that were stored before cleaning existed are shown clean", () => {
	const payload = {
		image_url: "data:text/html,<script>",
		display_image_url: "https://me:secret@images.test/b",
		traits: [{ trait_type: "Hat", value: "x".repeat(10_000) }],
		name: "cat\u202egnp",
	};
	const imageUrl = "https://images.test/b";
	const traits = [{ trait_type: "Hat", value: "x".repeat(128) }];
	expect(show({ payload })).toMatchObject({
		imageUrl,
		traits,
		providerPayload: { image_url: null, display_image_url: imageUrl, traits, name: "catgnp" },
	});
});

test("an event has its own id in each block, and so has each item of a log", () => {
	const place = { blockHash: `0x${"a".repeat(64)}`, logIndex: 1, subIndex: 0 } as const;
	const ids = [
		place,
		{ ...place, blockHash: `0x${"b".repeat(64)}` } as const,
		{ ...place, logIndex: 2 },
		{ ...place, subIndex: 1 },
	].map((given) => show(given).id);
	expect(new Set(ids).size).toBe(4);
});

test("[IDX-12] sales, mints and transfers have exactly the fields that the document describes", () => {
	for (const kind of ["sale", "mint", "transfer"] as const) {
		const event = show({ kind });
		expect(event.eventType).toBe(kind);
		expect(marketEventSchema.parse(event)).toEqual(event);
		expect(Object.keys(event).sort()).toEqual(Object.keys(marketEventSchema.shape).sort());
	}
});
