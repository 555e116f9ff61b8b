import { expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { chooseListings } from "#plugins/reveal-snipe/plans/chooseListings.ts";

const options = {
	buyer: `0x${"b".repeat(40)}`,
	normaliseTrait: (text: string) => text.toLowerCase(),
};
const listing = (change: Partial<TokenListing> = {}): TokenListing => ({
	tokenId: "1",
	rank: 1,
	traits: [{ type: "Eyes", value: "Laser" }],
	orderHash: `0x${"1".repeat(64)}`,
	maker: `0x${"a".repeat(40)}`,
	quantity: 1n,
	currency: ZERO_ADDRESS,
	symbol: "ETH",
	totalRaw: 10n,
	...change,
});
const terms = { maxRank: 10, traits: [], maxPriceRaw: 10n, order: "cheapest" as const };
const reasonOf = (change: Partial<TokenListing>, own: Partial<typeof terms> & object = {}) =>
	chooseListings({ ...terms, ...own }, [listing(change)], options).skipped[0]?.reason ?? null;

test.each([
	["fits", {}, {}, null],
	["no rank", { rank: null }, {}, "rank_unknown"],
	["a worse rank", { rank: 11 }, {}, "rank_above_ceiling"],
	["no rank, where none is asked for", { rank: null }, { maxRank: null }, null],
	[
		"no such trait",
		{ traits: [] },
		{ traits: [{ type: "EYES", values: ["laser"] }] },
		"traits_missing",
	],
	["the trait in other letters", {}, { traits: [{ type: "EYES", values: ["x", "laser"] }] }, null],
	["a coin", { currency: `0x${"c".repeat(40)}` as const }, {}, "currency_not_native"],
	["several currencies", { currency: null }, {}, "currency_not_native"],
	["the wallet's own", { maker: `0x${"b".repeat(40)}` as const }, {}, "own_listing"],
	["one unit above the ceiling", { totalRaw: 11n }, {}, "price_above_ceiling"],
	["a part whose share is rounded up", { totalRaw: 21n, quantity: 2n }, {}, "price_above_ceiling"],
	["a part at the ceiling", { totalRaw: 20n, quantity: 2n }, {}, null],
] as const)("a listing with %s", (_, change, own, reason) => {
	expect(reasonOf(change as Partial<TokenListing>, own as object)).toBe(reason);
});

test("each listing for sale is chosen or skipped, and the order is the plan's", () => {
	const one = fc.record({
		tokenId: fc.nat(5).map(String),
		rank: fc.option(fc.integer({ min: 1, max: 20 })),
		totalRaw: fc.bigInt({ min: 1n, max: 20n }),
		quantity: fc.bigInt({ min: 1n, max: 3n }),
		orderHash: fc.nat().map((number) => `0x${number.toString(16).padStart(64, "0")}` as const),
	});
	fc.assert(
		fc.property(fc.array(one), fc.option(fc.integer({ min: 1, max: 20 })), (changes, maxRank) => {
			const listings = changes.map(listing);
			const { candidates, skipped } = chooseListings({ ...terms, maxRank }, listings, options);
			expect(candidates.length + skipped.length).toBe(listings.length);
			for (const { rank, priceRaw, totalRaw, quantity } of candidates) {
				expect(priceRaw).toBeLessThanOrEqual(10n);
				expect(priceRaw * quantity).toBeGreaterThanOrEqual(totalRaw);
				if (maxRank !== null) expect(rank ?? 99).toBeLessThanOrEqual(maxRank);
			}
			const keys = candidates.map(({ rank, priceRaw }) => Number(priceRaw) * 1_000 + (rank ?? 99));
			expect(keys).toEqual([...keys].sort((a, b) => a - b));
			const rarest = chooseListings({ ...terms, maxRank, order: "rarest" }, listings, options);
			const ranks = rarest.candidates.map(({ rank, priceRaw }) => {
				return (rank ?? 99) * 1_000 + Number(priceRaw);
			});
			expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
			expect(new Set(rarest.candidates.map(({ orderHash }) => orderHash))).toEqual(
				new Set(candidates.map(({ orderHash }) => orderHash)),
			);
		}),
		{ seed: 31, numRuns: 300 },
	);
});
