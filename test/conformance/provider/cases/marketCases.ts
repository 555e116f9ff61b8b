// Lists cases of an ordinary collection, in its page, in lists and in a search.

import { expect } from "bun:test";
import {
	type Case,
	detailOf,
	everyPage,
	near,
	ourChain,
	pathOf,
	placeOf,
	rowOf,
} from "#test/conformance/provider/cases/Case.ts";
import { statsOf } from "#test/conformance/provider/emulator/answers/collections.ts";
import { dayOf, floorOf, listedOf } from "#test/conformance/provider/expected.ts";
import { until } from "#test/harness/until.ts";

const PLAIN = "copper-lanterns";
const point = "every sync finishes";

/** What an ordinary collection must look like on its page, in lists and in a search. */
export const marketCases: readonly Case[] = [
	{
		number: 1,
		point,
		name: "the list has one row for each collection of the chain that the provider lists",
		async run(lab) {
			for (const chain of ["base", "ethereum", "ape_chain"]) {
				lab.advance(91_000);
				const path = `/collections?chain=${ourChain(chain)}&limit=200`;
				const { normalized } = await lab.read(path);
				// By rule 7 of 4.1 a slug that is held on another chain gets no second row.
				const told = [...lab.world.collections.values()]
					.filter(({ places }) => places[0]?.chain === chain)
					.map(({ places }) => places[0]?.address);
				const got = normalized.map((row: any) => row.contractAddress);
				expect(got.sort()).toEqual(told.sort());
			}
		},
	},
	{
		number: 2,
		point,
		name: "name, picture and supply are those of the provider's page",
		async run(lab) {
			const { market } = await detailOf(lab, PLAIN);
			const { name, imageUrl, tokens } = lab.of(PLAIN);
			expect(market).toMatchObject({ slug: PLAIN, name, imageUrl, totalSupply: tokens.length });
			// A look renews what is too old, and is "syncing" meanwhile.
			const isSynced = async () => (await detailOf(lab, PLAIN)).market.syncStatus === "synced";
			await until(isSynced, () => "the sync is finished");
		},
	},
	{
		number: 3,
		point,
		name: "the floor is the provider's, in ether",
		async run(lab) {
			const { market, stats } = await detailOf(lab, PLAIN);
			near(market.floor, floorOf(lab.of(PLAIN), placeOf(lab, PLAIN)));
			expect([market.floor_price, market.floorNative]).toEqual([market.floor, market.floor]);
			expect(stats.data.total.floor_price_symbol).toBe("ETH");
			near(stats.data.total.floor_price, market.floor);
		},
	},
	{
		number: 4,
		point,
		name: "owners are those that the provider counts",
		async run(lab) {
			const { market } = await detailOf(lab, PLAIN);
			const { total } = statsOf(lab.of(PLAIN), lab.nowMs());
			expect([market.owners, market.ownersCount]).toEqual([total.num_owners, total.num_owners]);
		},
	},
	{
		number: 5,
		point,
		name: "listed counts each token once",
		async run(lab) {
			const { market } = await detailOf(lab, PLAIN);
			expect(market.listedCount).toBe(listedOf(lab.of(PLAIN), placeOf(lab, PLAIN)));
		},
	},
	{
		number: 6,
		point,
		name: "sales and volume of a day are the sums of the sales that the provider told",
		async run(lab) {
			for (const slug of [PLAIN, "paper-moons", "far-shore", "endless-numbers"]) {
				const { market, observedAt } = await detailOf(lab, slug);
				const day = dayOf(lab.of(slug), placeOf(lab, slug), Date.parse(observedAt));
				expect(day.sales).toBeGreaterThan(0);
				expect({ slug, sales: market.sales24h }).toEqual({ slug, sales: day.sales });
				near(market.volume_24h, day.volume);
				expect(market.volume24hNative).toBe(market.volume_24h);
			}
		},
	},
	{
		number: 7,
		point,
		name: "rows of the list have the figures of the page",
		async run(lab) {
			const row = await rowOf(lab, PLAIN);
			const { market } = await detailOf(lab, PLAIN);
			for (const name of ["floor", "owners", "listedCount", "sales24h", "volume_24h"]) {
				expect({ [name]: row[name] }).toEqual({ [name]: market[name] });
			}
		},
	},
	{
		number: 11,
		point,
		name: "the thirteen tiles are what the day's sales and the book make",
		async run(lab) {
			const { tiles } = await lab.read(pathOf(lab, PLAIN, { rest: "/sales" }));
			const collection = lab.of(PLAIN);
			const { sales, volume, prices } = dayOf(collection, placeOf(lab, PLAIN), lab.nowMs());
			const sorted = [...prices].sort((a, b) => a - b);
			const [low = 0, high = 0] = [sorted[(sales - 1) >> 1], sorted[sales >> 1]];
			const expected: Record<string, number | null> = {
				floor: floorOf(collection, placeOf(lab, PLAIN)),
				volume24h: volume,
				sales24h: sales,
				averagePrice24h: (volume ?? 0) / sales,
				medianPrice24h: (low + high) / 2,
				highestSale24h: Math.max(...prices),
				lowestSale24h: Math.min(...prices),
				owners: statsOf(collection, lab.nowMs()).total.num_owners,
				listed: listedOf(collection, placeOf(lab, PLAIN)),
				listedPercent: (100 * listedOf(collection, placeOf(lab, PLAIN))) / collection.tokens.length,
				supply: collection.tokens.length,
			};
			expect(tiles).toHaveLength(13);
			for (const [key, value] of Object.entries(expected)) {
				near(tiles.find((tile: any) => tile.key === key).value, value);
			}
		},
	},
	{
		number: 14,
		point,
		name: "trending has the window's sums, and the figures of the page",
		async run(lab) {
			const { rows } = await lab.read("/trending?chain=base&window=24h&limit=100");
			const row = rows.find((one: any) => one.contractAddress === placeOf(lab, PLAIN).address);
			const day = dayOf(lab.of(PLAIN), placeOf(lab, PLAIN), lab.nowMs());
			expect(row).toMatchObject({
				sales: day.sales,
				holders: statsOf(lab.of(PLAIN), lab.nowMs()).total.num_owners,
				listed: listedOf(lab.of(PLAIN), placeOf(lab, PLAIN)),
			});
			near(row.volumeNative, day.volume);
			near(row.floorNative, floorOf(lab.of(PLAIN), placeOf(lab, PLAIN)));
		},
	},
	{
		number: 15,
		point,
		name: "discover ranks by the sales of the day",
		async run(lab) {
			const { trending } = await lab.read("/discover?chain=base&limit=50");
			const days = [...lab.world.collections.values()].flatMap((one) =>
				one.places
					.filter(({ chain }) => chain === "base")
					.map((at) => ({ slug: one.slug, ...dayOf(one, at, lab.nowMs()) })),
			);
			const most = days.sort((a, b) => b.sales - a.sales)[0];
			expect([trending[0].slug, trending[0].sales24h]).toEqual([most?.slug, most?.sales]);
			const counts = trending.map((row: any) => row.sales24h);
			expect(counts).toEqual([...counts].sort((a, b) => b - a));
		},
	},
	{
		number: 16,
		point,
		name: "a token has its traits and its exact id, however large that is",
		async run(lab) {
			for (const slug of [PLAIN, "endless-numbers"]) {
				const token = lab.of(slug).tokens[1];
				const { address, chain } = placeOf(lab, slug);
				const path = `/assets/${chain}/${address}/${token?.id}`;
				await until(
					async () => {
						await lab.hurry();
						// A minute whose calls are used up passes by the service's clock.
						lab.advance(500);
						const { traits }: any = await (await lab.raw(path)).json();
						return Array.isArray(traits);
					},
					() => `the traits of token ${token?.id} of ${slug} are known`,
				);
				const asset = await lab.read(path);
				expect(asset.tokenId).toBe(token?.id);
				expect(asset.traits).toEqual(token?.traits);
				const sold = await everyPage(lab, pathOf(lab, slug, { rest: "/activity" }));
				const ids = new Set(lab.of(slug).tokens.map(({ id }) => id));
				expect(sold.every(({ tokenId }) => ids.has(tokenId))).toBe(true);
			}
		},
	},
	{
		number: 20,
		point: "chains and pauses",
		name: "a chain is answered under our name, the provider's and its id",
		async run(lab) {
			const { address } = placeOf(lab, "ape-notes");
			const [first, ...others] = await Promise.all(
				["apechain", "ape_chain", "33139"].map((chain) =>
					lab.read(`/collections/${address}?chain=${chain}`),
				),
			);
			expect(first.market.chain).toBe("apechain");
			for (const other of others) expect(other.market.slug).toBe(first.market.slug);
		},
	},
	{
		number: 21,
		point: "chains and pauses",
		name: "a collection of a chain that is not indexed is on no list of another",
		async run(lab) {
			const { address } = placeOf(lab, "zora-postcards");
			for (const chain of ["base", "ethereum"]) {
				const { normalized } = await lab.read(`/collections?chain=${chain}&limit=200`);
				expect(normalized.map((row: any) => row.contractAddress)).not.toContain(address);
			}
			const response = await lab.raw("/collections/zora-postcards");
			expect(response.status).toBe(404);
		},
	},
	{
		number: 30,
		point,
		name: "a search finds what the index holds, with its own figures",
		async run(lab) {
			const { data } = await lab.read("/search?chain=base&q=lanterns");
			expect(data.map(({ slug }: any) => slug)).toEqual([PLAIN]);
			const [hit] = data;
			expect(hit).toMatchObject({
				source: "svc_index",
				contractAddress: placeOf(lab, PLAIN).address,
			});
			near(hit.floorNative, floorOf(lab.of(PLAIN), placeOf(lab, PLAIN)));
		},
	},
];
