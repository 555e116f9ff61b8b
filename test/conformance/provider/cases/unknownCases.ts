// Lists cases of unknown figures: they are null on every route, and never 0.

import { expect } from "bun:test";
import {
	addNewcomer,
	type Case,
	detailOf,
	everyPage,
	near,
	pathOf,
	placeOf,
	resync,
	resyncInTurn,
	rowOf,
} from "#test/conformance/provider/cases/Case.ts";
import { dayOf, floorOf } from "#test/conformance/provider/expected.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";

const point = "unknown is not zero";
async function tilesOf(lab: ConformanceLab, slug: string): Promise<Map<string, any>> {
	const { tiles } = await lab.read(pathOf(lab, slug, { rest: "/sales" }));
	return new Map(tiles.map((tile: any) => [tile.key, tile]));
}

/** What nobody knows is null on every route, and never 0. */
export const unknownCases: readonly Case[] = [
	{
		number: 31,
		point,
		name: "nothing for sale is no floor, on the page, in the list and in the tiles",
		async run(lab) {
			const { market, stats } = await detailOf(lab, "paper-moons");
			const { floor, floor_price: price, floorNative, listedCount } = market;
			expect([floor, price, floorNative, listedCount]).toEqual([null, null, null, 0]);
			expect(stats.data.total.floor_price).toBeNull();
			expect((await rowOf(lab, "paper-moons")).floor).toBeNull();
			expect((await tilesOf(lab, "paper-moons")).get("floor").value).toBeNull();
		},
	},
	{
		number: 32,
		point,
		name: "a launch that nobody counted has no floor and no owners",
		async run(lab) {
			const { market, stats } = await detailOf(lab, "uncounted-geese");
			expect([market.floor, market.owners]).toEqual([null, null]);
			expect(stats.data.total.num_owners).toBeNull();
			expect((await tilesOf(lab, "uncounted-geese")).get("owners").value).toBeNull();
		},
	},
	{
		number: 33,
		point,
		name: "a supply of 0 of a launch that nobody counted is not taken for one",
		async run(lab) {
			const { market } = await detailOf(lab, "uncounted-geese");
			expect(market.totalSupply).toBeNull();
			expect((await tilesOf(lab, "uncounted-geese")).get("supply").value).toBeNull();
		},
	},
	{
		number: 34,
		point,
		name: "a volume of 0 beside 57 sales is unknown in the provider's figures",
		async run(lab) {
			const { stats } = await detailOf(lab, "volume-mystery");
			expect(stats.data.total.volume).toBeNull();
			const day = stats.data.intervals.find((one: any) => one.interval === "one_day");
			expect([day.volume, day.sales]).toEqual([null, 57]);
		},
	},
	{
		number: 35,
		point,
		name: "sales in a coin without a rate are counted, and their volume is unknown",
		async run(lab) {
			const { market } = await detailOf(lab, "usdc-tiles");
			const day = dayOf(lab.of("usdc-tiles"), placeOf(lab, "usdc-tiles"), lab.nowMs());
			expect([market.sales24h, market.volume_24h]).toEqual([day.sales, null]);
			const tiles = await tilesOf(lab, "usdc-tiles");
			expect(tiles.get("volume24h").value).toBeNull();
			for (const key of ["averagePrice24h", "medianPrice24h", "highestSale24h"]) {
				expect({ key, value: tiles.get(key).value }).toEqual({ key, value: null });
			}
		},
	},
	{
		number: 36,
		point,
		name: "a sale in a coin without a rate keeps its exact amount and its coin",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, "usdc-tiles", { rest: "/activity" }));
			expect(rows).toHaveLength(lab.of("usdc-tiles").events.length);
			for (const row of rows) {
				const told = lab
					.of("usdc-tiles")
					.events.find(({ transaction }) => transaction === row.transactionHash);
				expect(row).toMatchObject({
					priceNative: null,
					priceUsd: null,
					totalRaw: told?.price?.total.toString(),
					settlementCurrency: { address: told?.price?.coin.address },
				});
			}
		},
	},
	{
		number: 37,
		point,
		name: "a floor in a coin without a rate is unknown in ether",
		async run(lab) {
			for (const slug of ["usdc-tiles", "ape-notes"]) {
				const { market, stats } = await detailOf(lab, slug);
				expect({ slug, floor: market.floor }).toEqual({ slug, floor: null });
				expect(stats.data.total.floor_price_symbol).toBe(slug === "usdc-tiles" ? "USDC" : "APE");
			}
		},
	},
	{
		number: 38,
		point,
		name: "sales of which some have a price are a volume of those",
		async run(lab) {
			const { market, observedAt } = await detailOf(lab, "mixed-money");
			const day = dayOf(lab.of("mixed-money"), placeOf(lab, "mixed-money"), Date.parse(observedAt));
			expect(day.coverage).toBeLessThan(1);
			expect(market.sales24h).toBe(day.sales);
			near(market.volume_24h, day.volume);
		},
	},
	{
		number: 39,
		point,
		name: "a day without a sale that was read to its end is a 0 that is known",
		async run(lab) {
			for (const slug of ["silent-garden", "old-glory"]) {
				const { market } = await detailOf(lab, slug);
				expect([slug, market.sales24h, market.volume_24h]).toEqual([slug, 0, 0]);
			}
		},
	},
	{
		number: 40,
		point,
		name: "where nobody sold there is no last sale, no average and no median",
		async run(lab) {
			const { lastSale } = await detailOf(lab, "silent-garden");
			expect(lastSale).toBeNull();
			const tiles = await tilesOf(lab, "silent-garden");
			for (const key of ["averagePrice24h", "medianPrice24h", "highestSale24h", "lowestSale24h"]) {
				expect({ key, value: tiles.get(key).value }).toEqual({ key, value: null });
			}
		},
	},
	{
		number: 41,
		point,
		name: "without a rate no figure is in dollars",
		async run(lab) {
			for (const slug of ["copper-lanterns", "mixed-money"]) {
				const { market, lastSale } = await detailOf(lab, slug);
				expect([market.floor_price_usd, lastSale.priceUsd]).toEqual([null, null]);
			}
		},
	},
	{
		number: 42,
		point,
		name: "a floor that vanished and whose book is empty is unknown, not the one of before",
		async run(lab) {
			const collection = lab.of("endless-numbers");
			const orders = collection.orders.splice(0);
			await resyncInTurn(lab, "endless-numbers");
			const { market } = await detailOf(lab, "endless-numbers");
			expect([market.floor, market.listedCount]).toEqual([null, 0]);
			collection.orders.push(...orders);
			await resyncInTurn(lab, "endless-numbers");
			const { market: again } = await detailOf(lab, "endless-numbers");
			near(again.floor, floorOf(collection, placeOf(lab, "endless-numbers")));
		},
	},
	{
		number: 43,
		point,
		name: "a floor of 0 beside listings does not hide the best ask",
		async run(lab) {
			const collection = lab.of("far-shore");
			collection.claims.floor = { price: 0, symbol: "" };
			await resync(lab, "far-shore");
			const { market } = await detailOf(lab, "far-shore");
			near(market.floor, floorOf(collection, placeOf(lab, "far-shore")));
			delete collection.claims.floor;
			await resync(lab, "far-shore");
		},
	},
	{
		number: 44,
		point,
		name: "owners that become 0 do not erase those that were counted",
		async run(lab) {
			const collection = lab.of("far-shore");
			const { market: before } = await detailOf(lab, "far-shore");
			collection.claims.owners = 0;
			collection.claims.totalSupply = 0;
			await resync(lab, "far-shore");
			const { market } = await detailOf(lab, "far-shore");
			expect([market.owners, market.totalSupply]).toEqual([before.owners, before.totalSupply]);
			delete collection.claims.owners;
			delete collection.claims.totalSupply;
			await resync(lab, "far-shore");
		},
	},
	{
		number: 45,
		point,
		name: "only what is announced is upcoming",
		async run(lab) {
			for (const slug of ["silent-garden", "uncounted-geese"]) {
				const { market } = await detailOf(lab, slug);
				expect({ slug, is: market.lifecycle === "upcoming" }).toEqual({ slug, is: false });
			}
			const { market } = await detailOf(lab, "kites-to-come");
			expect(market.lifecycle).toBe("upcoming");
		},
	},
	{
		number: 46,
		point,
		name: "minted units are unknown without a walk, and not 0 beside a supply",
		async run(lab) {
			const { mint, market } = await detailOf(lab, "copper-lanterns");
			expect(market.totalSupply).toBeGreaterThan(0);
			expect(mint.mintedSupply).toBeNull();
		},
	},
	{
		number: 47,
		point,
		name: "holders without a walk are not an empty list that claims to be whole",
		async run(lab) {
			const { market } = await detailOf(lab, "copper-lanterns");
			expect(market.owners).toBeGreaterThan(0);
			const { data } = await lab.read(pathOf(lab, "copper-lanterns", { rest: "/holders" }));
			expect(data).toBeNull();
		},
	},
	{
		number: 48,
		point,
		name: "an order book that was not read is not an empty one",
		async run(lab) {
			for (const rest of ["/listings", "/offers"]) {
				const { data, bookReadAt } = await lab.read(pathOf(lab, "kites-gone", { rest }));
				expect({ rest, data, bookReadAt }).toEqual({ rest, data: null, bookReadAt: null });
			}
			const { asks, bids } = await lab.read(pathOf(lab, "kites-gone", { rest: "/depth" }));
			expect([asks, bids]).toEqual([null, null]);
		},
	},
	{
		number: 49,
		point,
		name: "before its first sync a collection has no figure, and no tile claims a time",
		async run(lab) {
			// Where no lane looks: one that is level knows that there was no sale.
			const added = addNewcomer(lab, "late-arrival", { name: "Late Arrival", chain: "ethereum" });
			const stop = lab.provider.trouble({
				kind: "refuses",
				status: 500,
				body: '{"errors":["Internal server error"]}',
				on: /late-arrival/,
			});
			await lab.runJob("discovery");
			const { market, lastSale } = await lab.read(`/collections/${added.address}?chain=ethereum`);
			const { floor, owners, listedCount, volume_24h: volume, sales24h } = market;
			expect([floor, owners]).toEqual([null, null]);
			expect({ volume, sales24h }).toEqual({ volume: null, sales24h: null });
			expect([listedCount, lastSale]).toEqual([null, null]);
			const { tiles } = await lab.read(`/collections/${added.address}/sales?chain=ethereum`);
			for (const { key, value, asOf } of tiles) {
				expect({ key, value, asOf }).toEqual({ key, value: null, asOf: null });
			}
			stop();
			await lab.settle();
		},
	},
];
