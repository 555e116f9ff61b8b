import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { near } from "#test/conformance/provider/cases/near.ts";
import { detailOf, pathOf } from "#test/conformance/provider/cases/reading.ts";
import { floorOf } from "#test/conformance/provider/expected/bookOf.ts";
import { dayOf } from "#test/conformance/provider/expected/dayOf.ts";
import type { Place } from "#test/conformance/provider/world/World.ts";

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
