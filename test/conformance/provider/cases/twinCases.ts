import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { near } from "#test/conformance/provider/cases/near.ts";
import { detailOf, placeOf } from "#test/conformance/provider/cases/reading.ts";
import { statsOf } from "#test/conformance/provider/emulator/answers/statsOf.ts";
import { floorOf } from "#test/conformance/provider/expected/bookOf.ts";
import { dayOf } from "#test/conformance/provider/expected/dayOf.ts";

const point = "every sync finishes";

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
