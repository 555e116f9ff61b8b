import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { HOUR_MS } from "#core/time.ts";
import { standInPrefix } from "#plugins/market-index/confirm/unconfirmed.ts";
import { isStandIn } from "#plugins/market-index/event/MarketEvent.ts";
import {
	blockBetween,
	estimateBlock,
	readProviderEvent,
	standInHash,
} from "#plugins/market-index/merge/readProviderEvent.ts";
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

describe("blockBetween", () => {
	const at = (blockNumber: number, occurredAtMs: number) => ({ blockNumber, occurredAtMs });
	const BASE = { estimate: 50, occurredAtMs: 5_000, before: null, after: null, blockMs: 1_000 };

	test("an estimate that fits between its neighbours is kept", () => {
		expect(blockBetween(BASE)).toBe(50);
		expect(blockBetween({ ...BASE, before: at(40, 1_000), after: at(60, 9_000) })).toBe(50);
	});

	test("an estimated block outside its neighbours' is replaced by one between their blocks, by its time", () => {
		const cases = [
			[{ before: at(100, 1_000), after: at(200, 9_000) }, 150],
			[{ before: at(100, 1_000) }, 104],
			[{ after: at(20, 9_000) }, 16],
			[{ after: at(4, 9_000) }, 0],
			[{ after: at(2, 9_000) }, 5 - 2 ** 32],
			[{ after: at(-7, 9_000) }, 5 - 2 ** 32],
			[{ before: at(100, 5_000), after: at(101, 6_000) }, 100],
		] as const;
		for (const [neighbours, block] of cases) {
			expect(blockBetween({ ...BASE, ...neighbours })).toBe(block);
		}
	});

	test("a block is never below that of an earlier event, or above that of a later one", () => {
		const block = fc.integer({ min: -1_000_000, max: 1_000_000 });
		const time = fc.integer({ min: 0, max: 1_000_000 });
		fc.assert(
			fc.property(block, block, block, time, time, time, (estimate, a, b, ...times) => {
				const [first = 0, middle = 0, last = 0] = times.sort((x, y) => x - y);
				fc.pre(first < middle && middle < last);
				const before = at(Math.min(a, b), first);
				const after = at(Math.max(a, b), last);
				const found = blockBetween({ ...BASE, estimate, occurredAtMs: middle, before, after });
				expect(Number.isInteger(found)).toBe(true);
				expect(found >= before.blockNumber && found <= after.blockNumber).toBe(true);
				const alone = blockBetween({ ...BASE, estimate, occurredAtMs: middle, after });
				expect(alone).toBeLessThanOrEqual(after.blockNumber);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe("estimateBlock", () => {
	const NOW_MS = Date.UTC(2026, 10, 21);
	const FIRST_MS = Date.UTC(2015, 0, 1);
	const pace = fc.record({
		headBlock: fc.oneof(fc.constant(null), fc.nat(5), fc.nat(2 ** 31)),
		atMs: fc.constant(NOW_MS),
		blockMs: fc.oneof(
			fc.integer({ min: 1, max: 20_000 }),
			fc.double({ min: 0.5, max: 3, noNaN: true }),
		),
	});
	const time = fc.integer({ min: FIRST_MS, max: NOW_MS + 3_600_000 });

	test("later times never give lower blocks, or blocks beyond the chain's head, at any pace", () => {
		fc.assert(
			fc.property(pace, time, time, (given, a, b) => {
				const early = estimateBlock(given, Math.min(a, b));
				const late = estimateBlock(given, Math.max(a, b));
				expect(early).toBeLessThanOrEqual(late);
				expect(Number.isInteger(early) && late <= (given.headBlock ?? -1)).toBe(true);
				// A position holds 34 bits of it.
				expect(early).toBeGreaterThanOrEqual(-(2 ** 33));
			}),
			{ numRuns: 2_000 },
		);
	});

	test("at a steady pace the estimated block is the true one", () => {
		const given = { headBlock: 20_000_000, atMs: NOW_MS, blockMs: 12_000 };
		for (const ago of [0, 1, 1_000, 9_000_000]) {
			expect(estimateBlock(given, NOW_MS - ago * 12_000)).toBe(20_000_000 - ago);
		}
	});

	test("each second has a lower block than the next one if the head is missing or too old", () => {
		for (const headBlock of [null, 0, 5]) {
			const given = { headBlock, atMs: NOW_MS, blockMs: 12_000 };
			const blocks = [3_602, 3_601, 3_600].map((ago) => estimateBlock(given, NOW_MS - ago * 1_000));
			const [first = 0] = blocks;
			expect(blocks).toEqual([first, first + 1, first + 2]);
			expect(first + 2).toBeLessThan(0);
		}
	});

	test("times older than the estimate reaches are still in order", () => {
		const fast = { headBlock: 400_000_000, atMs: NOW_MS, blockMs: 250 };
		const years = [2017, 2019, 2021, 2023].map((year) => estimateBlock(fast, Date.UTC(year, 5)));
		expect(new Set(years).size).toBe(years.length);
		expect(years).toEqual([...years].sort((a, b) => a - b));
	});
});

describe("readProviderEvent", () => {
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

	test("a sale has seller, buyer, the total of all its units, and the provider's venue", () => {
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
		test("a transfer from the zero address, or from the receiver itself, is a mint", () => {
			for (const from of [ZERO_ADDRESS, BOB]) {
				expect(moved(from, BOB)).toMatchObject({ kind: "mint", from: ZERO_ADDRESS, to: BOB });
			}
		});
		test("any other transfer stays a transfer, and has no price", () => {
			expect(moved(ALICE, BOB)).toMatchObject({ kind: "transfer", from: ALICE, totalRaw: null });
			expect(moved(ALICE, ZERO_ADDRESS)).toMatchObject({ kind: "transfer", venue: null });
		});
	});

	test("a mint without a reported price has none, and a free mint costs 0", () => {
		const mint = mintOf(CATS);
		expect(read(told(mint, { totalRaw: null }))).toMatchObject({ totalRaw: null, currency: null });
		expect(read(told(mint, { totalRaw: 0n }))).toMatchObject({ totalRaw: 0n, accepted: true });
	});

	test("[IDX-10] a sale at price zero and a self-trade are kept, and not counted in any figure", () => {
		expect(read(told(sale, { totalRaw: 0n }))).toMatchObject({
			accepted: false,
			reason: "zero_price",
		});
		const self = told(sale, { from: ALICE, to: ALICE });
		expect(read(self)).toMatchObject({ accepted: false, reason: "self_trade" });
		expect(read(told(sale, { totalRaw: null }))).toMatchObject({ accepted: true, totalRaw: null });
	});

	test("an amount in a currency without address has a price only if it names the chain's coin", () => {
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

	test("an invalid event is left out: foreign contract or chain, no token, no units, bad time", () => {
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

	test("listings and offers are not stored as events", () => {
		const { seller: _, buyer: __, ...rest } = told(sale) as ProviderEvent & { type: "sale" };
		for (const type of ["listing", "item_offer", "collection_offer", "trait_offer"] as const) {
			expect(read({ ...rest, type, maker: ALICE, expiresAtMs: null })).toBeNull();
		}
	});

	test("an event without a transaction gets the same recognisable substitute hash each time", () => {
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
});

describe("standInHash", () => {
	const party = fc.constantFrom(contractOf(1), contractOf(2), contractOf(3));
	const event = fc.record({
		kind: fc.constantFrom("sale", "mint", "transfer"),
		orderHash: fc.constantFrom(null, contractOf(8), contractOf(9)),
		contract: fc.constantFrom(`0x${"cd".repeat(20)}` as const, `0x${"ab".repeat(20)}` as const),
		tokenId: fc.bigInt(0n, 3n),
		from: party,
		to: party,
		occurredAtMs: fc.constantFrom(1_000, 1_999, 2_000),
	});

	test("two events have the same substitute hash exactly if all their members are equal, to the second", () => {
		fc.assert(
			fc.property(event, event, (a, b) => {
				const text = (one: typeof a) =>
					JSON.stringify({
						...one,
						tokenId: one.tokenId.toString(),
						occurredAtMs: Math.floor(one.occurredAtMs / 1_000),
					});
				expect(standInHash(a) === standInHash(b)).toBe(text(a) === text(b));
			}),
			{ numRuns: 1_000 },
		);
	});

	test("a substitute hash has 32 bytes and begins with its contract's prefix", () => {
		fc.assert(
			fc.property(event, (one) => {
				const hash = standInHash(one);
				expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
				expect(hash.startsWith(standInPrefix(one.contract))).toBe(true);
				expect(isStandIn(hash)).toBe(true);
			}),
		);
	});
});
