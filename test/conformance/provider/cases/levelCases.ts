import { expect } from "bun:test";
import type { Hex } from "viem";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { near } from "#test/conformance/provider/cases/near.ts";
import { detailOf, everyPage, pathOf, placeOf } from "#test/conformance/provider/cases/reading.ts";
import { saleTransaction } from "#test/conformance/provider/chain/saleLogs.ts";
import type { Call } from "#test/conformance/provider/emulator/Call.ts";
import { dayOf } from "#test/conformance/provider/expected/dayOf.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import { addressOf } from "#test/conformance/provider/world/namedHex.ts";
import { until } from "#test/harness/until.ts";

const CHAIN = "base";
const SLUG = "copper-lanterns";
const WEI = 25n * 10n ** 16n;
const ETH = 0.25;
const isEvents = ({ operation }: Call) => operation === "GET /api/v2/events/collection/{slug}";

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
