// Lists cases of sales, mints and transfers, on every route that shows them.

import { expect } from "bun:test";
import type { Hex } from "viem";
import {
	type Case,
	detailOf,
	everyPage,
	near,
	pathOf,
	placeOf,
} from "#test/conformance/provider/cases/Case.ts";
import { saleTransaction } from "#test/conformance/provider/chain/contracts.ts";
import type { Call } from "#test/conformance/provider/emulator/Asked.ts";
import { dayOf, etherOf, isAccepted } from "#test/conformance/provider/expected.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { addressOf } from "#test/conformance/provider/world/World.ts";
import { until } from "#test/harness/until.ts";

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

const CHAIN = "base";
const SLUG = "copper-lanterns";
const WEI = 25n * 10n ** 16n;
const ETH = 0.25;
const isEvents = ({ operation }: Call) => operation === "GET /api/v2/events/collection/{slug}";

/** A chain that is read to its head beside a provider that knows more than was scanned. */
export const levelCases: readonly Case[] = [
	{
		number: 150,
		point: "figures state their source",
		name: "a chain that is read to its head says so",
		async run(lab) {
			lab.node(CHAIN).mine();
			await lab.indexed();
			const { freshness } = await lab.read("/trending?chain=base&limit=1");
			expect(freshness).toMatchObject({ lagBlocks: 0, headBlock: lab.node(CHAIN).head() });
		},
	},
	{
		number: 151,
		point: "every sync finishes",
		name: "the day before the scan began is the provider's, the rest the chain's, added once",
		async run(lab) {
			const before = await detailOf(lab, SLUG);
			const told = dayOf(lab.of(SLUG), placeOf(lab, SLUG), Date.parse(before.observedAt));
			expect(before.market.sales24h).toBe(told.sales);
			const hash = sellOnChain(lab, 3n);
			await lab.indexed();
			const [row] = await rowsOf(lab, hash);
			expect(row).toMatchObject({ onchainVerified: true, totalRaw: WEI.toString() });
			const { market, observedAt } = await detailOf(lab, SLUG);
			const day = dayOf(lab.of(SLUG), placeOf(lab, SLUG), Date.parse(observedAt));
			expect(market.sales24h).toBe(day.sales + 1);
			near(market.volume_24h, (day.volume ?? 0) + ETH);
		},
	},
	{
		number: 152,
		point: "every sync finishes",
		name: "lean turns of a level chain ask the provider for no event that the chain supplies",
		async run(lab) {
			const turn = async () => {
				lab.advance(20_000);
				lab.node(CHAIN).mine();
				await lab.indexed();
				await lab.runJob("lean-sync");
			};
			// What the provider tells late of the time before the lanes is asked for in these.
			for (const _ of [1, 2, 3]) await turn();
			const from = lab.provider.calls.length;
			for (const _ of [1, 2, 3]) await turn();
			const asked = lab.callsSince(from).filter(isEvents);
			// Sales of venues that we do not decode are the provider's alone: now and then.
			expect(asked.length).toBeLessThanOrEqual(lab.world.collections.size);
			const ofMints = asked.filter(({ query }) => query.getAll("event_type").includes("mint"));
			expect(ofMints.map(({ target }) => target)).toEqual([]);
		},
	},
	{
		number: 153,
		point: "every sync finishes",
		name: "a level collection's coverage goes on",
		async run(lab) {
			const coverage = async () =>
				Date.parse((await detailOf(lab, SLUG)).market.sync.coverageEnd ?? 0);
			const before = await coverage();
			await until(async () => {
				// A page each ten minutes is what it takes.
				lab.advance(120_000);
				lab.node(CHAIN).mine();
				await lab.indexed();
				await lab.runJob("lean-sync");
				return (await coverage()) > before;
			}, "the coverage goes on");
		},
	},
	{
		number: 154,
		point: "figures state their source",
		name: "sales and volume are the chain's, floor and owners the provider's, each with its time",
		async run(lab) {
			const { figures } = await detailOf(lab, SLUG);
			const source = (name: string) => figures[name]?.source;
			expect([source("floorNative"), source("ownersCount")]).toEqual(["provider", "provider"]);
			expect(["chain", "provider"]).toContain(source("sales24h"));
		},
	},
];

/** A sale on the chain alone, of a token that the provider has too. */
function sellOnChain(lab: ConformanceLab, tokenId: bigint): Hex {
	const [hash] = lab.node(CHAIN).mine([
		saleTransaction({
			contract: placeOf(lab, SLUG).address,
			tokenId,
			seller: addressOf("seller on chain"),
			buyer: addressOf("buyer on chain"),
			wei: WEI,
		}),
	]);
	if (!hash) throw new Error("the sale has a transaction");
	return hash;
}

async function rowsOf(lab: ConformanceLab, transaction: string): Promise<any[]> {
	const rows = await everyPage(lab, pathOf(lab, SLUG, { rest: "/activity" }));
	return rows.filter((row) => row.transactionHash === transaction);
}
