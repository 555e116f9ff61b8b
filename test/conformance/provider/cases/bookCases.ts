import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { near } from "#test/conformance/provider/cases/near.ts";
import { detailOf, everyPage, pathOf, placeOf } from "#test/conformance/provider/cases/reading.ts";
import { asksOf, unitPriceOf } from "#test/conformance/provider/expected/bookOf.ts";

const PLAIN = "copper-lanterns";
const point = "every sync finishes";

/** What is for sale, what is asked for, and what will be: books and announced mints. */
export const bookCases: readonly Case[] = [
	{
		number: 27,
		point,
		name: "the book of what somebody opened is the provider's, the cheapest first",
		async run(lab) {
			await detailOf(lab, PLAIN);
			await lab.service.core.db.query("select 1");
			await lab.runJob("order-books");
			const told = asksOf(lab.of(PLAIN), placeOf(lab, PLAIN));
			const listings = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/listings" }));
			expect(listings.map(({ orderHash }) => orderHash)).toEqual(told.map(({ hash }) => hash));
			for (const [at, listing] of listings.entries()) {
				near(listing.priceNative, told[at] ? unitPriceOf(told[at]) : null);
				expect(listing.totalRaw).toBe(told[at]?.price.total.toString());
			}
		},
	},
	{
		number: 28,
		point,
		name: "offers are the provider's, those on any token among them",
		async run(lab) {
			const offers = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/offers" }));
			const told = lab.of(PLAIN).orders.filter(({ kind }) => kind !== "listing");
			const line = (hash: string, id: string | null, total: unknown) => `${hash} ${id} ${total}`;
			expect(offers.map((one) => line(one.orderHash, one.tokenId, one.totalRaw)).sort()).toEqual(
				told.map((one) => line(one.hash, one.token?.id ?? null, one.price.total)).sort(),
			);
		},
	},
	{
		number: 29,
		point,
		name: "announced mints have their stages, and say whether they have begun",
		async run(lab) {
			const { data } = await lab.read("/drops?chain=base&limit=50");
			const states = Object.fromEntries(
				data.map((drop: any) => [drop.name, [drop.state, drop.stages[0]?.priceRaw]]),
			);
			const price = (2n * 10n ** 16n).toString();
			expect(states).toEqual({
				"Kites To Come": ["upcoming", price],
				"Kites Minting": ["minting", price],
				"Kites Gone": ["ended", price],
			});
		},
	},
];
