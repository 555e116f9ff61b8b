import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { HOUR_MS } from "#core/time/units.ts";
import { isStandIn } from "#plugins/market-index/event/isStandIn.ts";
import { readProviderEvent } from "#plugins/market-index/merge/readProviderEvent.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import {
	contractOf,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderEvent, ProviderPayment } from "#plugins/provider/contract.ts";

const CATS = contractOf(0x71);
const ALICE = contractOf(0xa11ce);
const BOB = contractOf(0xb0b);
const reading = {
	chain: ethereum,
	contract: CATS,
	providerId: "opensea",
	nowMs: NOW_MS,
	keptFromMs: Date.UTC(2021, 0, 1),
};
const read = (event: ProviderEvent) => readProviderEvent(event, reading);
const sale = saleOf(CATS, { from: ALICE, to: BOB });

test("a sale goes from its seller to its buyer, for the total of all its units, at the provider's venue", () => {
	const three = saleOf(CATS, { from: ALICE, to: BOB, quantity: 3n, totalRaw: 6n * ETH });
	expect(read(told(three))).toMatchObject({
		kind: "sale",
		from: ALICE,
		to: BOB,
		quantity: 3n,
		totalRaw: 6n * ETH,
		currency: ZERO_ADDRESS,
		venue: "opensea",
		accepted: true,
		reason: null,
	});
});

describe("[ING-06] a transfer is a mint", () => {
	const moved = (from: `0x${string}`, to: `0x${string}`) =>
		read(told(sale, { type: "transfer", from, to }));
	test("when it comes from nobody, or from the account it goes to", () => {
		for (const from of [ZERO_ADDRESS, BOB]) {
			expect(moved(from, BOB)).toMatchObject({ kind: "mint", from: ZERO_ADDRESS, to: BOB });
		}
	});
	test("and otherwise a transfer, which has no price", () => {
		expect(moved(ALICE, BOB)).toMatchObject({ kind: "transfer", from: ALICE, totalRaw: null });
		expect(moved(ALICE, ZERO_ADDRESS)).toMatchObject({ kind: "transfer", venue: null });
	});
});

test("a mint that nothing was said of the price of has none, and a free one is free", () => {
	const mint = mintOf(CATS);
	expect(read(told(mint, { totalRaw: null }))).toMatchObject({ totalRaw: null, currency: null });
	expect(read(told(mint, { totalRaw: 0n }))).toMatchObject({ totalRaw: 0n, accepted: true });
});

test("[IDX-10] a sale for nothing and a sale to oneself are kept, and count in no figure", () => {
	expect(read(told(sale, { totalRaw: 0n }))).toMatchObject({
		accepted: false,
		reason: "zero_price",
	});
	const self = told(sale, { from: ALICE, to: ALICE });
	expect(read(self)).toMatchObject({ accepted: false, reason: "self_trade" });
	expect(read(told(sale, { totalRaw: null }))).toMatchObject({ accepted: true, totalRaw: null });
});

test("an amount in a currency that is only named counts where the name is the chain's own, else it is no price", () => {
	const paid = (payment: Partial<ProviderPayment>) => {
		const event = told(sale);
		const full = { totalRaw: ETH, currency: null, decimals: 18, symbol: null, ...payment };
		return read({ ...event, payment: full });
	};
	expect(paid({ symbol: "ETH" })).toMatchObject({ currency: ZERO_ADDRESS, totalRaw: ETH });
	expect(paid({ symbol: "WETH" })).toMatchObject({ currency: ethereum.wrappedNative });
	for (const symbol of ["USDC", null, "eth"]) {
		expect(paid({ symbol })).toMatchObject({ currency: null, totalRaw: null, accepted: true });
	}
	expect(paid({ symbol: "ETH", totalRaw: 2n ** 256n })).toMatchObject({ totalRaw: null });
	// More than there is: such a sale would be the collection's volume for good.
	for (const symbol of ["ETH", "WETH"]) {
		expect(paid({ symbol, totalRaw: 10n ** 27n + 1n })).toMatchObject({ totalRaw: null });
	}
});

test("what cannot be is left out: other contracts and chains, no token, no units, times out of reach", () => {
	const event = told(sale);
	const { nft } = event;
	if (!nft) throw new Error("a token was told");
	const wrong: ProviderEvent[] = [
		{ ...event, chainId: 8453 },
		{ ...event, nft: null },
		{ ...event, nft: { ...nft, contract: contractOf(0x72) } },
		{ ...event, nft: { ...nft, tokenId: 2n ** 256n } },
		{ ...event, nft: { ...nft, tokenId: -1n } },
		{ ...event, quantity: 0n },
		{ ...event, quantity: 2n ** 256n },
		{ ...event, occurredAtMs: NOW_MS + HOUR_MS + 1 },
		{ ...event, occurredAtMs: reading.keptFromMs - 1 },
		{ ...event, occurredAtMs: Number.NaN },
		{ ...event, occurredAtMs: 1.5 },
	];
	for (const one of wrong) expect(read(one)).toBeNull();
	expect(read({ ...event, occurredAtMs: NOW_MS + HOUR_MS })).not.toBeNull();
});

test("listings and offers are no events of the index", () => {
	const { seller: _, buyer: __, ...rest } = told(sale) as ProviderEvent & { type: "sale" };
	for (const type of ["listing", "item_offer", "collection_offer", "trait_offer"] as const) {
		expect(read({ ...rest, type, maker: ALICE, expiresAtMs: null })).toBeNull();
	}
});

test("without a transaction a stand-in names the event, the same each time and known for what it is", () => {
	fc.assert(
		fc.property(fc.bigInt(0n, 9n), fc.integer({ min: 0, max: 3 }), (tokenId, hours) => {
			const occurredAtMs = NOW_MS - hours * HOUR_MS;
			const once = told(saleOf(CATS, { tokenId, occurredAtMs }), { withoutTransaction: true });
			const again = told(saleOf(CATS, { tokenId, occurredAtMs }), { withoutTransaction: true });
			const other = told(saleOf(CATS, { tokenId: tokenId + 1n, occurredAtMs }), {
				withoutTransaction: true,
			});
			const hash = read(once)?.transactionHash ?? "0x";
			expect(isStandIn(hash)).toBe(true);
			expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
			expect(read(again)?.transactionHash).toBe(hash);
			expect(read(other)?.transactionHash).not.toBe(hash);
		}),
	);
	expect(isStandIn(`0x${"00".repeat(7)}01${"00".repeat(24)}`)).toBe(false);
});
