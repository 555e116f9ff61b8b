// Lists cases of well-formed but wrong answers, and of refusals.

import { expect } from "bun:test";
import {
	type Case,
	detailOf,
	near,
	pathOf,
	placeOf,
	resync,
} from "#test/conformance/provider/cases/Case.ts";
import { dayOf, floorOf } from "#test/conformance/provider/expected.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";

const SLUG = "copper-lanterns";
const EVENTS = /^\/api\/v2\/events\//;
async function calmDown(lab: ConformanceLab): Promise<void> {
	lab.provider.calm();
	lab.advance(1_801_000);
	await lab.runJob("full-sync");
	await resync(lab, SLUG);
}

async function salesAreRight(lab: ConformanceLab): Promise<void> {
	const { market, observedAt } = await detailOf(lab, SLUG);
	const day = dayOf(lab.of(SLUG), placeOf(lab, SLUG), Date.parse(observedAt));
	expect(market.sales24h).toBe(day.sales);
	near(market.volume_24h, day.volume);
}

/** Answers that are right in form and wrong in what they say, and refusals by the minute. */
export const refusalCases: readonly Case[] = [
	{
		number: 80,
		point: "bad input",
		name: "429 with its time in seconds: nobody calls before it is over",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({
				kind: "refuses",
				status: 429,
				headers: { "retry-after": "120" },
				body: '{"detail":"Request was throttled."}',
			});
			lab.lines.length = 0;
			const from = lab.provider.calls.length;
			await resync(lab, SLUG);
			const refused = lab.provider.calls.length;
			expect(refused - from).toBe(1);
			lab.advance(60_000);
			for (const job of ["full-sync", "lean-sync", "discovery", "drops"]) await lab.runJob(job);
			expect(lab.provider.calls.length).toBe(refused);
			expect(lab.lines).toHaveLength(1);
			const { market } = await detailOf(lab, SLUG);
			near(market.floor, floorOf(lab.of(SLUG), placeOf(lab, SLUG)));
			await calmDown(lab);
			const { market: after } = await detailOf(lab, SLUG);
			expect(Date.parse(after.lastProviderAt)).toBeGreaterThan(Date.parse(market.lastProviderAt));
		},
	},
	{
		number: 81,
		point: "bad input",
		name: "429 without a time: few more calls, a second apart and more, and nothing has failed",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({ kind: "refuses", status: 429, body: "slow down", type: "text/plain" });
			const from = lab.provider.calls.length;
			lab.advance(6_000);
			await lab.raw(pathOf(lab, SLUG, { rest: "/resync" }), { method: "POST" });
			await lab.idle();
			await lab.runJob("full-sync");
			await lab.idle();
			const times = lab.callsSince(from).map(({ atMs }) => atMs);
			const waits = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
			// A slow machine may have a job of its own come due in between: each adds its first call.
			expect(waits.length).toBeLessThanOrEqual(6);
			expect(Math.min(1_000, ...waits)).toBe(1_000);
			expect((await detailOf(lab, SLUG)).market.syncStatus).not.toBe("failed");
			await calmDown(lab);
			await salesAreRight(lab);
		},
	},
	{
		number: 82,
		point: "bad input",
		name: "429 with a time that is nonsense is waited for within bounds",
		async run(lab) {
			for (const retryAfter of ["soon", "99999999999"]) {
				await calmDown(lab);
				const headers = { "retry-after": retryAfter };
				lab.provider.trouble({ kind: "refuses", status: 429, headers, body: "{}" });
				await resync(lab, SLUG);
				lab.provider.calm();
				lab.advance(601_000);
				const from = lab.provider.calls.length;
				await lab.runJob("discovery");
				expect({ retryAfter, called: lab.provider.calls.length > from }).toEqual({
					retryAfter,
					called: true,
				});
			}
			await calmDown(lab);
		},
	},
	{
		number: 83,
		point: "bad input",
		name: "599 is a limit as well, and ends by itself",
		async run(lab) {
			await calmDown(lab);
			const headers = { "retry-after": "1" };
			lab.provider.trouble({ kind: "refuses", status: 599, headers, body: "", times: 1 });
			await resync(lab, SLUG);
			expect((await detailOf(lab, SLUG)).market.syncStatus).toBe("synced");
		},
	},
	{
		number: 84,
		point: "chains and pauses",
		name: "after a 429 on a drop call nobody asks for drops for five minutes from the refusal",
		async run(lab) {
			await calmDown(lab);
			const stop = lab.provider.trouble({
				kind: "refuses",
				on: /\/api\/v2\/drops/,
				status: 429,
				headers: { "retry-after": "1" },
				body: "{}",
			});
			await lab.runJob("drops");
			stop();
			const refused = lab.provider.calls.filter(({ target }) => target.includes("/drops"));
			const refusedAtMs = refused.at(-1)?.atMs ?? 0;
			lab.advance(refusedAtMs + 290_000 - lab.nowMs());
			await lab.runJob("drops");
			const asked = () => lab.provider.calls.filter(({ target }) => target.includes("/drops"));
			expect(asked()).toHaveLength(refused.length);
			lab.advance(refusedAtMs + 301_000 - lab.nowMs());
			await lab.runJob("drops");
			expect(asked().length).toBeGreaterThan(refused.length);
		},
	},
	{
		number: 85,
		point: "bad input",
		name: "a page that leads to itself is not read for ever",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({ kind: "repeats_pages" });
			const endless = (body: any) => ({ ...body, next: "the-same-again" });
			lab.provider.trouble({ kind: "changes", on: EVENTS, change: endless });
			const from = lab.provider.calls.length;
			await resync(lab, SLUG);
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			const mine = lab.callsSince(from).filter(({ path }) => path.slug === SLUG);
			expect(mine.length).toBeLessThan(20);
			await calmDown(lab);
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			await salesAreRight(lab);
		},
	},
	{
		number: 86,
		point: "bad input",
		name: "an answer of half an hour ago takes nothing back",
		async run(lab) {
			await calmDown(lab);
			const before = (await detailOf(lab, SLUG)).market;
			lab.provider.trouble({ kind: "late", ms: 1_800_000 });
			await resync(lab, SLUG);
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			await salesAreRight(lab);
			const { market } = await detailOf(lab, SLUG);
			expect(Date.parse(market.sync.coverageEnd ?? 0)).toBeGreaterThanOrEqual(
				Date.parse(before.sync.coverageEnd ?? 0),
			);
			await calmDown(lab);
		},
	},
	{
		number: 87,
		point: "bad input",
		name: "events in no order are the same events",
		async run(lab) {
			await calmDown(lab);
			const reverse = (body: any) => ({ ...body, asset_events: [...body.asset_events].reverse() });
			lab.provider.trouble({ kind: "changes", on: EVENTS, change: reverse });
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			await salesAreRight(lab);
			await calmDown(lab);
		},
	},
	{
		number: 88,
		point: "bad input",
		name: "one event that cannot be read costs itself and no other",
		async run(lab) {
			await calmDown(lab);
			const spoil = (body: any) => {
				const odd = [null, 7, "text", {}, { event_type: "sale" }, { event_type: "brand_new" }];
				return { ...body, asset_events: [...odd, ...body.asset_events] };
			};
			lab.provider.trouble({ kind: "changes", on: EVENTS, change: spoil });
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			await salesAreRight(lab);
			await calmDown(lab);
		},
	},
	{
		number: 89,
		point: "bad input",
		name: "an event told twice on one page and again on the next counts once",
		async run(lab) {
			await calmDown(lab);
			const twice = (body: any) => ({
				...body,
				asset_events: body.asset_events.flatMap((one: unknown) => [one, one]),
			});
			lab.provider.trouble({ kind: "changes", on: EVENTS, change: twice });
			lab.advance(30_000);
			await lab.runJob("lean-sync");
			await salesAreRight(lab);
			await calmDown(lab);
		},
	},
	{
		number: 90,
		point: "bad input",
		name: "a list that names another name and picture than the page does not win over it",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({
				kind: "changes",
				on: /\/collections(\/top|\/trending)?\?/,
				change: (body) => ({
					...body,
					collections: body.collections.map((one: any) => ({
						...one,
						name: "Of The List",
						image_url: "https://pictures.example/of-the-list.png",
					})),
				}),
			});
			await lab.runJob("discovery");
			await resync(lab, SLUG);
			const { market } = await detailOf(lab, SLUG);
			expect([market.name, market.imageUrl]).toEqual([lab.of(SLUG).name, lab.of(SLUG).imageUrl]);
			await calmDown(lab);
		},
	},
	{
		number: 91,
		point: "one stat, pages, ids, pushes",
		name: "a floor that cannot be read fails that figure, and not owners, sales or the sync",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({
				kind: "changes",
				on: /\/stats$/,
				change: (body) => ({ ...body, total: { ...body.total, floor_price: "much" } }),
			});
			lab.of(SLUG).claims.owners = 4_711;
			await resync(lab, SLUG);
			const { market } = await detailOf(lab, SLUG);
			expect([market.syncStatus, market.owners]).toEqual(["synced", 4_711]);
			near(market.floor, floorOf(lab.of(SLUG), placeOf(lab, SLUG)));
			delete lab.of(SLUG).claims.owners;
			await calmDown(lab);
		},
	},
	{
		number: 92,
		point: "one stat, pages, ids, pushes",
		name: "owners that cannot be read fail that figure, and not the floor or the sync",
		async run(lab) {
			await calmDown(lab);
			const { market: before } = await detailOf(lab, SLUG);
			lab.provider.trouble({
				kind: "changes",
				on: /\/stats$/,
				change: (body) => ({ ...body, total: { ...body.total, num_owners: -3.5, volume: {} } }),
			});
			await resync(lab, SLUG);
			const { market } = await detailOf(lab, SLUG);
			expect(market.syncStatus).toBe("synced");
			expect([null, before.owners]).toContain(market.owners);
			near(market.floor, floorOf(lab.of(SLUG), placeOf(lab, SLUG)));
			await calmDown(lab);
		},
	},
	{
		number: 93,
		point: "one stat, pages, ids, pushes",
		name: "an interval that cannot be read costs that interval only",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({
				kind: "changes",
				on: /\/stats$/,
				change: (body) => ({ ...body, intervals: [null, { interval: 5 }, ...body.intervals] }),
			});
			await resync(lab, SLUG);
			const { market, stats } = await detailOf(lab, SLUG);
			expect(market.syncStatus).toBe("synced");
			const names = stats.data.intervals.map((one: any) => one.interval);
			expect(names).toEqual(expect.arrayContaining(["one_day", "seven_days"]));
			await calmDown(lab);
		},
	},
	{
		number: 94,
		point: "chains and pauses",
		name: "a row whose chain the list names wrongly stays where our index has it",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({
				kind: "changes",
				on: /\/collections(\/top|\/trending)?\?/,
				change: (body) => ({
					...body,
					collections: body.collections.map((one: any) =>
						one.collection === SLUG
							? { ...one, contracts: [{ address: placeOf(lab, SLUG).address, chain: "ethereum" }] }
							: one,
					),
				}),
			});
			await lab.runJob("discovery");
			await lab.settle();
			lab.advance(91_000);
			const { normalized } = await lab.read("/collections?chain=base&limit=200");
			const mine = normalized.filter(
				(row: any) => row.contractAddress === placeOf(lab, SLUG).address,
			);
			expect(mine.map((row: any) => [row.slug, row.chain])).toEqual([[SLUG, "base"]]);
			lab.advance(91_000);
			const other = await lab.read("/collections?chain=ethereum&limit=200");
			const there = other.normalized.map((row: any) => row.contractAddress);
			expect(there).not.toContain(placeOf(lab, SLUG).address);
			await calmDown(lab);
		},
	},
	{
		number: 95,
		point: "bad input",
		name: "a right answer under another content type is taken or refused, never half taken",
		async run(lab) {
			await calmDown(lab);
			lab.provider.trouble({ kind: "content_type", type: "text/plain; charset=utf-16" });
			await resync(lab, SLUG);
			const { market } = await detailOf(lab, SLUG);
			near(market.floor, floorOf(lab.of(SLUG), placeOf(lab, SLUG)));
			expect(["synced", "failed"]).toContain(market.syncStatus);
			await calmDown(lab);
		},
	},
	{
		number: 96,
		point: "the minute is shared",
		name: "20 calls a minute are never exceeded after the first refusal, and all get their turn",
		async run(lab) {
			await calmDown(lab);
			lab.provider.allowance.perMinute = 20;
			const from = lab.provider.calls.length;
			const told = new Set<string>();
			const all = lab.world.collections.size;
			for (let minute = 0; minute < 20 && told.size < all; minute++) {
				await lab.runJob("full-sync");
				await lab.settle();
				await lab.runJob("lean-sync");
				lab.advance(60_000);
				const answered = lab.callsSince(from).filter(({ status }) => status === 200);
				for (const { path } of answered) if (path.slug) told.add(path.slug);
			}
			expect(told.size).toBe(all);
			const refused = lab.callsSince(from).filter(({ status }) => status === 429);
			expect(refused.length).toBeLessThan(lab.callsSince(from).length / 4);
			lab.provider.allowance.perMinute = 120;
			await calmDown(lab);
			expect((await lab.raw(pathOf(lab, SLUG))).status).toBe(200);
		},
	},
];
