import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	estimateQuote,
	feeOfOrder,
	gasPriceOf,
	type QuotedListing,
} from "#plugins/market-index/quote.ts";
import { base, ethereum } from "#plugins/market-index/testing/marketFixture.ts";

describe("estimateQuote", () => {
	const listing = (given: Partial<QuotedListing> = {}): QuotedListing => ({
		quantity: 1n,
		totalRaw: 100n,
		unitNative: 100n,
		feeRaw: 5n,
		currency: null,
		symbol: "ETH",
		decimals: 18,
		...given,
	});

	test("[API-15] listings are filled in their order, up to the wanted quantity", () => {
		const first = listing({ quantity: 2n, totalRaw: 200n, feeRaw: 10n });
		const second = listing({ quantity: 5n, unitNative: 150n, totalRaw: 750n, feeRaw: null });
		const quote = estimateQuote([first, second, listing()], 4n);
		expect(quote.lines).toEqual([
			{ listing: first, units: 2n },
			{ listing: second, units: 2n },
		]);
		expect(quote).toMatchObject({ units: 4n, subtotalNative: 500n, feeNative: null });
	});

	test("an unknown price makes the sum unknown, and an empty book costs nothing", () => {
		expect(estimateQuote([listing(), listing({ unitNative: null })], 2n)).toMatchObject({
			units: 2n,
			subtotalNative: null,
			feeNative: null,
		});
		expect(estimateQuote([], 3n)).toMatchObject({ units: 0n, lines: [], gasUnits: 0n });
	});

	test("units, sums and fees are correct for any book", () => {
		const listings = fc.array(
			fc.record({
				quantity: fc.bigInt({ min: 1n, max: 9n }),
				unitNative: fc.bigInt({ min: 0n, max: 10n ** 24n }),
				feePart: fc.integer({ min: 0, max: 100 }),
			}),
			{ maxLength: 12 },
		);
		fc.assert(
			fc.property(listings, fc.bigInt({ min: 1n, max: 60n }), (told, units) => {
				const book = told.map(({ quantity, unitNative, feePart }) => {
					const totalRaw = quantity * unitNative;
					const feeRaw = (totalRaw * BigInt(feePart)) / 100n;
					return listing({ quantity, unitNative, totalRaw, feeRaw });
				});
				const quote = estimateQuote(book, units);
				const there = book.reduce((sum, { quantity }) => sum + quantity, 0n);
				expect(quote.units).toBe(there < units ? there : units);
				expect(quote.lines.every(({ listing: one, units: part }) => part <= one.quantity)).toBe(
					true,
				);
				const cost = quote.lines.reduce(
					(sum, { listing: { unitNative }, units: part }) => sum + (unitNative ?? 0n) * part,
					0n,
				);
				expect(quote.subtotalNative).toBe(cost);
				if (quote.feeNative !== null) expect(quote.feeNative <= cost).toBe(true);
			}),
		);
	});
});

describe("feeOfOrder", () => {
	const offerer = `0x${"Aa".repeat(20)}`;
	const item = (recipient: string, startAmount: string, itemType: number | string = 0) => ({
		recipient,
		startAmount,
		itemType,
	});
	const orderOf = (...consideration: unknown[]) => ({ parameters: { offerer, consideration } });

	test("the fee of an order is the part for others than the seller, in any case of addresses", () => {
		const order = orderOf(item(offerer.toLowerCase(), "95"), item("0x01", "3"), item("0x02", "2"));
		expect(feeOfOrder(order)).toBe(5n);
		expect(feeOfOrder(orderOf(item(offerer, "95")))).toBe(0n);
	});

	test("an order that asks for an NFT, or is unreadable, has an unknown fee", () => {
		expect(feeOfOrder(orderOf(item(offerer, "1", 2)))).toBeNull();
		for (const odd of [
			null,
			{},
			"x",
			orderOf(item(offerer, "-1")),
			orderOf(item(offerer, "1e3")),
		]) {
			expect(feeOfOrder(odd)).toBeNull();
		}
		expect(feeOfOrder(orderOf(...Array.from({ length: 101 }, () => item("0x01", "1"))))).toBeNull();
	});
});

describe("gasPriceOf", () => {
	const answering = (answer: () => Promise<unknown>) => {
		const rpc = { call: answer } as unknown as Rpc;
		return gasPriceOf([{ chain: ethereum, rpcFor: () => rpc }])(ethereum);
	};

	test("the chain's gas price is read, and any other answer gives null", async () => {
		expect(await answering(async () => "0x3b9aca00")).toBe(10n ** 9n);
		for (const odd of [null, 7, "0x", "7", `0x${"f".repeat(40)}`, {}]) {
			expect(await answering(async () => odd)).toBeNull();
		}
		expect(await answering(async () => Promise.reject(new Error("away")))).toBeNull();
	});

	test("a chain that is not indexed has no gas price", async () => {
		expect(await gasPriceOf([])(base)).toBeNull();
	});
});
