import { expect, test } from "bun:test";
import fc from "fast-check";
import { estimateQuote, type QuotedListing } from "#plugins/market-index/quote/estimateQuote.ts";

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

test("[API-15] listings are filled in their order, and no more than is wanted", () => {
	const first = listing({ quantity: 2n, totalRaw: 200n, feeRaw: 10n });
	const second = listing({ quantity: 5n, unitNative: 150n, totalRaw: 750n, feeRaw: null });
	const quote = estimateQuote([first, second, listing()], 4n);
	expect(quote.lines).toEqual([
		{ listing: first, units: 2n },
		{ listing: second, units: 2n },
	]);
	expect(quote).toMatchObject({ units: 4n, subtotalNative: 500n, feeNative: null });
});

test("one unknown price makes the sum unknown, and an empty book costs nothing and sells nothing", () => {
	expect(estimateQuote([listing(), listing({ unitNative: null })], 2n)).toMatchObject({
		units: 2n,
		subtotalNative: null,
		feeNative: null,
	});
	expect(estimateQuote([], 3n)).toMatchObject({ units: 0n, lines: [], gasUnits: 0n });
});

test("units, sums and fees hold for any book", () => {
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
			expect(quote.lines.every(({ listing: one, units: part }) => part <= one.quantity)).toBe(true);
			const cost = quote.lines.reduce(
				(sum, { listing: { unitNative }, units: part }) => sum + (unitNative ?? 0n) * part,
				0n,
			);
			expect(quote.subtotalNative).toBe(cost);
			if (quote.feeNative !== null) expect(quote.feeNative <= cost).toBe(true);
		}),
	);
});
