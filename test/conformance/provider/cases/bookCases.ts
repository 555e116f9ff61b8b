// Lists cases of order books, announced mints, slow providers and shared slugs.

import { expect } from "bun:test";
import {
	type Case,
	detailOf,
	everyPage,
	near,
	pathOf,
	placeOf,
} from "#test/conformance/provider/cases/Case.ts";
import { statsOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import { asksOf, dayOf, floorOf, unitPriceOf } from "#test/conformance/provider/expected.ts";
import type { Place } from "#test/conformance/provider/world/World.ts";

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

const SLOW_MS = 9_000;
const SLUGS = ["copper-lanterns", "paper-moons", "mixed-money"];

/** A provider that takes its time. */
export const slowCases: readonly Case[] = [
	{
		number: 165,
		point: "bad input",
		name: "figures that come after 9 s are taken, and clients do not wait for them",
		async run(lab) {
			lab.advance(6_000);
			const stop = lab.provider.trouble({ kind: "slow", ms: SLOW_MS, on: /\/stats$/ });
			for (const slug of SLUGS) {
				const path = pathOf(lab, slug, { rest: "/resync" });
				expect((await lab.raw(path, { method: "POST" })).status).toBe(202);
			}
			const begunAt = performance.now();
			const list = await lab.raw("/collections?chain=base&limit=50");
			const search = await lab.raw("/search?chain=base&q=copper");
			expect([list.status, search.status]).toEqual([200, 200]);
			expect(performance.now() - begunAt).toBeLessThan(SLOW_MS);
			await lab.settle();
			stop();
			for (const slug of SLUGS) {
				const place = lab.of(slug).places[0] as Place;
				const { market, observedAt } = await detailOf(lab, slug);
				expect({ slug, status: market.syncStatus }).toEqual({ slug, status: "synced" });
				near(market.floor, floorOf(lab.of(slug), place));
				const day = dayOf(lab.of(slug), place, Date.parse(observedAt));
				expect(market.sales24h).toBe(day.sales);
			}
		},
	},
];

/** What collections must look like whose slug the provider gives to several contracts. */
export const twinCases: readonly Case[] = [
	{
		number: 17,
		point,
		name: "of a slug over two chains, a contract has its own sales and its own best ask",
		async run(lab) {
			const { market, observedAt } = await detailOf(lab, "two-shores");
			const there = placeOf(lab, "two-shores");
			const day = dayOf(lab.of("two-shores"), there, Date.parse(observedAt));
			expect(day.sales).toBeLessThan(lab.of("two-shores").events.length);
			expect([market.chain, market.sales24h]).toEqual([there.chain, day.sales]);
			near(market.volume_24h, day.volume);
			near(market.floor, floorOf(lab.of("two-shores"), there));
		},
	},
	{
		number: 18,
		point: "unknown is not zero",
		name: "owners that the provider counts over two contracts are no fact about one",
		async run(lab) {
			for (const slug of ["two-shores", "twin-halls"]) {
				const { num_owners: all } = statsOf(lab.of(slug), lab.nowMs()).total;
				const { market } = await detailOf(lab, slug);
				const { address } = placeOf(lab, slug);
				const mine = lab.of(slug).events.filter(({ token }) => token.place.address === address);
				const recipients = new Set(mine.map(({ to }) => to)).size;
				expect(recipients).not.toBe(all);
				expect({ slug, ok: [null, recipients].includes(market.owners) }).toEqual({
					slug,
					ok: true,
				});
			}
		},
	},
	{
		number: 19,
		point,
		name: "of two contracts of one chain under one slug, each has its own sales",
		async run(lab) {
			const { market, observedAt } = await detailOf(lab, "twin-halls");
			const there = placeOf(lab, "twin-halls");
			const day = dayOf(lab.of("twin-halls"), there, Date.parse(observedAt));
			expect(day.sales).toBeLessThan(lab.of("twin-halls").events.length);
			expect(market.sales24h).toBe(day.sales);
			near(market.volume_24h, day.volume);
		},
	},
];
