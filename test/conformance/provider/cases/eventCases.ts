import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { near } from "#test/conformance/provider/cases/near.ts";
import { detailOf, everyPage, pathOf, placeOf } from "#test/conformance/provider/cases/reading.ts";
import { dayOf, etherOf, isAccepted } from "#test/conformance/provider/expected/dayOf.ts";

const PLAIN = "copper-lanterns";
const point = "every sync finishes";

/** What was told of a collection's sales, mints and transfers, on every route that shows them. */
export const eventCases: readonly Case[] = [
	{
		number: 8,
		point,
		name: "activity has every event of the day, once, and nothing else",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/activity" }));
			const got = rows.map((row) => row.transactionHash);
			expect(new Set(got).size).toBe(got.length);
			const known = new Set(lab.of(PLAIN).events.map(({ transaction }) => transaction));
			expect(got.filter((hash) => !known.has(hash))).toEqual([]);
			const day = dayOf(lab.of(PLAIN), placeOf(lab, PLAIN), lab.nowMs());
			expect(got.length).toBeGreaterThanOrEqual(day.sales);
		},
	},
	{
		number: 9,
		point,
		name: "a sale in activity says what the provider said",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/activity" }));
			for (const row of rows) {
				const told = lab.of(PLAIN).events.find((one) => one.transaction === row.transactionHash);
				expect(row).toMatchObject({
					eventType: "sale",
					accepted: true,
					onchainVerified: false,
					tokenId: told?.token.id,
					from: told?.from,
					to: told?.to,
					totalRaw: told?.price?.total.toString(),
					quantity: "1",
					occurredAt: new Date((told?.atS ?? 0) * 1_000).toISOString(),
					traits: told?.token.traits,
					imageUrl: told?.token.imageUrl,
				});
				near(row.priceNative, told ? etherOf(told) : null);
			}
		},
	},
	{
		number: 10,
		point,
		name: "points of a day are its accepted sales",
		async run(lab) {
			const path = pathOf(lab, PLAIN, { rest: "/sales", query: "&range=24h" });
			const points = await everyPage(lab, path, "points");
			const { sales, volume } = dayOf(lab.of(PLAIN), placeOf(lab, PLAIN), lab.nowMs());
			expect(points).toHaveLength(sales);
			near(
				points.reduce((sum, one) => sum + one.priceNative, 0),
				volume,
			);
		},
	},
	{
		number: 12,
		point,
		name: "hourly candles add up to the sales that were told",
		async run(lab) {
			const path = pathOf(lab, PLAIN, { rest: "/candles", query: "&interval=1h&limit=500" });
			const { candles } = await lab.read(path);
			const rows = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/activity" }));
			const hours = Map.groupBy(rows, ({ occurredAt }) => `${occurredAt.slice(0, 13)}:00:00.000Z`);
			expect(candles.map(({ openTime }: any) => openTime)).toEqual([...hours.keys()].sort());
			for (const candle of candles) {
				const sales = (hours.get(candle.openTime) ?? []).reverse();
				const prices = sales.map(({ priceNative }) => priceNative);
				expect(candle.sales).toBe(sales.length);
				near(candle.open, prices[0]);
				near(candle.close, prices.at(-1));
				near(candle.high, Math.max(...prices));
				near(candle.low, Math.min(...prices));
			}
		},
	},
	{
		number: 13,
		point,
		name: "the last sale is the newest accepted one",
		async run(lab) {
			for (const slug of [PLAIN, "doubtful-deals", "mixed-money"]) {
				const { lastSale } = await detailOf(lab, slug);
				const newest = lab.of(slug).events.find((one) => one.kind === "sale" && isAccepted(one));
				expect(lastSale.transactionHash).toBe(newest?.transaction);
				expect(lastSale.tokenId).toBe(newest?.token.id);
			}
		},
	},
	{
		number: 22,
		point,
		name: "units of an ERC-1155 sale share its total, and the volume adds totals",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, "river-editions", { rest: "/activity" }));
			const { events } = lab.of("river-editions");
			expect(rows).toHaveLength(events.length);
			for (const row of rows) {
				const told = events.find(({ transaction }) => transaction === row.transactionHash);
				const total = told?.price?.total ?? 0n;
				expect([row.quantity, row.totalRaw]).toEqual([String(told?.quantity), total.toString()]);
				expect(row.amountRaw).toBe((total / BigInt(told?.quantity ?? 1)).toString());
			}
			const { market } = await detailOf(lab, "river-editions");
			const day = dayOf(lab.of("river-editions"), placeOf(lab, "river-editions"), lab.nowMs());
			near(market.volume_24h, day.volume);
		},
	},
	{
		number: 23,
		point,
		name: "a transfer to oneself is a mint, and so is what is told as one",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, "passing-hands", { rest: "/activity" }));
			const kinds = Object.fromEntries(rows.map((row) => [row.tokenId, row.eventType]));
			expect(kinds).toEqual({ 1: "mint", 2: "mint", 3: "transfer" });
		},
	},
	{
		number: 24,
		point,
		name: "a sale for nothing or with oneself is shown with its reason and counts nowhere",
		async run(lab) {
			const slug = "doubtful-deals";
			const rows = await everyPage(lab, pathOf(lab, slug, { rest: "/activity" }));
			const refused = rows.filter(({ accepted }) => !accepted);
			expect(refused.map(({ reason }) => reason).sort()).toEqual(["self_trade", "zero_price"]);
			const { market } = await detailOf(lab, slug);
			expect(market.sales24h).toBe(dayOf(lab.of(slug), placeOf(lab, slug), lab.nowMs()).sales);
			const { points } = await lab.read(pathOf(lab, slug, { rest: "/sales" }));
			expect(points).toHaveLength(market.sales24h);
		},
	},
	{
		number: 25,
		point,
		name: "sales without a transaction are counted once however often they are told",
		async run(lab) {
			const slug = "nameless-trades";
			for (const _ of [1, 2]) {
				lab.advance(30_000);
				await lab.runJob("lean-sync");
			}
			const rows = await everyPage(lab, pathOf(lab, slug, { rest: "/activity" }));
			expect(rows.map(({ transactionHash }) => transactionHash)).toEqual([null, null, null, null]);
			const { market } = await detailOf(lab, slug);
			expect(market.sales24h).toBe(4);
		},
	},
	{
		number: 26,
		point,
		name: "what only the provider told has no block and is not called verified",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, PLAIN, { rest: "/activity" }));
			for (const row of rows) {
				const { blockNumber, logIndex, onchainVerified } = row;
				expect([blockNumber, logIndex, onchainVerified]).toEqual([null, null, false]);
			}
		},
	},
	{
		number: 59,
		point,
		name: "on a chain whose node never answered, too, the last sale is the newest",
		async run(lab) {
			const { lastSale } = await detailOf(lab, "far-shore");
			const newest = lab.of("far-shore").events.find(({ kind }) => kind === "sale");
			expect(lastSale.transactionHash).toBe(newest?.transaction);
		},
	},
];
