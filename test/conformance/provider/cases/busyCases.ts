// Lists cases of collections whose day fills many pages.

import { expect } from "bun:test";
import { type Case, detailOf, near } from "#test/conformance/provider/cases/Case.ts";
import type { Call } from "#test/conformance/provider/emulator/Asked.ts";
import { dayOf } from "#test/conformance/provider/expected.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { addBusyCollection, growingIn } from "#test/conformance/provider/world/growCollection.ts";
import { hashOf, type Place } from "#test/conformance/provider/world/World.ts";

const point = "every sync finishes";
const EVENTS = "GET /api/v2/events/collection/{slug}";
/** One collection of 15 pages, 4 of 5 and 12 of one, four more calls each, at 60 a minute: 2. */
const MINUTES_MAX = 5;
/** Of what is read, at most so much may be read again. */
const AGAIN_MAX = 1.1;
const PAGE = 200;

/** A minute of the service's clock with all that it does by itself. */
async function minute(lab: ConformanceLab): Promise<void> {
	const startMs = lab.nowMs();
	await lab.hurry();
	await lab.runJob("full-sync");
	for (let turn = 1; turn <= 3; turn++) {
		await lab.idle();
		await lab.runJob("lean-sync");
		lab.advance(Math.max(0, startMs + turn * 20_000 - lab.nowMs()));
	}
	await lab.idle();
}

async function isWhole(lab: ConformanceLab, slug: string): Promise<boolean> {
	const { market, observedAt } = await detailOf(lab, slug);
	const day = dayOf(lab.of(slug), lab.of(slug).places[0] as Place, Date.parse(observedAt));
	return market.sales24h === day.sales && market.syncStatus === "synced";
}

/** Minutes until all of these are whole; more than the bound fails. */
async function minutesUntilWhole(lab: ConformanceLab, slugs: string[]): Promise<number> {
	for (let passed = 0; passed <= MINUTES_MAX; passed++) {
		const whole = await Promise.all(slugs.map((slug) => isWhole(lab, slug)));
		if (whole.every(Boolean)) return passed;
		await minute(lab);
	}
	const left = [];
	for (const slug of slugs) {
		if (await isWhole(lab, slug)) continue;
		const { market, observedAt } = await detailOf(lab, slug);
		const day = dayOf(lab.of(slug), lab.of(slug).places[0] as Place, Date.parse(observedAt));
		left.push(`${slug} ${market.syncStatus} ${market.sales24h} of ${day.sales}`);
	}
	throw new Error(`not whole after ${MINUTES_MAX} minutes: ${left.join(", ")}`);
}

const slugsOf = (lab: ConformanceLab) => [...lab.world.collections.keys()];
const eventCalls = (calls: readonly Call[], slug?: string) =>
	calls.filter(({ operation, path }) => operation === EVENTS && (!slug || path.slug === slug));

/** How often events of a collection were sent, for each that was sent at all. */
function timesRead(calls: readonly Call[], slug: string): number {
	const shown = eventCalls(calls, slug).flatMap((call) => call.shown);
	return shown.length / Math.max(1, new Set(shown).size);
}

function addRush(lab: ConformanceLab, slug: string, salesADay = 2_880): void {
	addBusyCollection(growingIn(lab.world, lab.nowMs()), { slug, salesADay });
}

/** Collections whose day fills five pages and fifteen, beside some that fill one. */
export const busyCases: readonly Case[] = [
	{
		number: 100,
		point,
		name: "a collection of 2,880 sales a day, four of 960 and small ones finish their first sync",
		async run(lab) {
			expect(await minutesUntilWhole(lab, slugsOf(lab))).toBeLessThanOrEqual(MINUTES_MAX);
		},
	},
	{
		number: 101,
		point,
		name: "volumes of busy collections are exact",
		async run(lab) {
			for (const slug of slugsOf(lab)) {
				const { market, observedAt } = await detailOf(lab, slug);
				const place = lab.of(slug).places[0] as Place;
				near(market.volume_24h, dayOf(lab.of(slug), place, Date.parse(observedAt)).volume);
			}
		},
	},
	{
		number: 102,
		point,
		name: "hardly an event is read twice",
		async run(lab) {
			for (const slug of slugsOf(lab).filter((one) => one.startsWith("rush"))) {
				const times = timesRead(lab.provider.calls, slug);
				expect({ slug, isOften: times > AGAIN_MAX }).toEqual({ slug, isOften: false });
			}
		},
	},
	{
		number: 103,
		point,
		name: "nobody reads older pages than a day and its overlap",
		async run(lab) {
			for (const slug of slugsOf(lab).filter((one) => one.startsWith("rush"))) {
				const read = new Set(eventCalls(lab.provider.calls, slug).flatMap((call) => call.shown));
				const day = dayOf(lab.of(slug), lab.of(slug).places[0] as Place, lab.nowMs());
				expect(read.size).toBeLessThanOrEqual(day.sales + 2 * PAGE);
			}
		},
	},
	{
		number: 104,
		point,
		name: "pages are as large as the document allows",
		async run(lab) {
			const limits = new Set(eventCalls(lab.provider.calls).map(({ query }) => query.get("limit")));
			expect([...limits]).toEqual([String(PAGE)]);
		},
	},
	{
		number: 105,
		point,
		name: "once level, three turns of a minute ask each collection for one page each",
		async run(lab) {
			const from = lab.provider.calls.length;
			await minute(lab);
			const turns = 3 * slugsOf(lab).length;
			expect(eventCalls(lab.callsSince(from)).length).toBeLessThanOrEqual(turns * AGAIN_MAX);
		},
	},
	{
		number: 106,
		point,
		name: "a cursor that expired half way costs no collection its sync",
		async run(lab) {
			addRush(lab, "rush-expired", 1_300);
			await lab.runJob("discovery");
			const stop = lab.provider.trouble({
				kind: "changes",
				on: /events\/collection\/rush-expired/,
				change(body) {
					if (eventCalls(lab.provider.calls, "rush-expired").length === 6) {
						lab.provider.cursors.expireAll();
					}
					return body;
				},
			});
			await minutesUntilWhole(lab, ["rush-expired"]);
			stop();
			const all = lab.of("rush-expired").events.length;
			const read = eventCalls(lab.provider.calls, "rush-expired").flatMap((one) => one.shown);
			expect(read.length).toBeLessThan(all * AGAIN_MAX + 2 * PAGE);
		},
	},
	{
		number: 107,
		point,
		name: "a refusal half way does not begin the pages anew",
		async run(lab) {
			addRush(lab, "rush-refused", 2_200);
			await lab.runJob("discovery");
			let pages = 0;
			const stop = lab.provider.trouble({
				kind: "changes",
				on: /events\/collection\/rush-refused/,
				change(body) {
					pages++;
					if (pages === 5 || pages === 10) {
						lab.provider.trouble({
							kind: "refuses",
							status: 429,
							headers: { "retry-after": "20" },
							body: '{"detail":"Request was throttled."}',
							times: 1,
						});
					}
					return body;
				},
			});
			await minutesUntilWhole(lab, ["rush-refused"]);
			stop();
			expect(pages).toBeGreaterThanOrEqual(10);
			expect(timesRead(lab.provider.calls, "rush-refused")).toBeLessThanOrEqual(AGAIN_MAX);
		},
	},
	{
		number: 108,
		point,
		name: "sales that are made while the pages are read are found, and none twice",
		async run(lab) {
			addRush(lab, "rush-growing", 1_000);
			const collection = lab.of("rush-growing");
			await lab.runJob("discovery");
			let added = 0;
			const stop = lab.provider.trouble({
				kind: "changes",
				on: /events\/collection\/rush-growing/,
				change(body) {
					const newest = collection.events[0];
					if (newest && added < 5) {
						added++;
						const number = collection.events.length + 1;
						const transaction = hashOf(`made while it was read ${added}`);
						const atS = Math.floor(lab.nowMs() / 1_000) - 1;
						collection.events.unshift({ ...newest, number, atS, transaction });
					}
					return body;
				},
			});
			await minutesUntilWhole(lab, ["rush-growing"]);
			stop();
			expect(added).toBe(5);
		},
	},
	{
		number: 97,
		point: "bad input",
		name: "a provider that leaves pages out makes no sale of its own, and the sync ends",
		async run(lab) {
			addRush(lab, "rush-holes", 800);
			await lab.runJob("discovery");
			const stop = lab.provider.trouble({ kind: "omits_pages", on: /collection\/rush-holes/ });
			const isSynced = async () =>
				(await detailOf(lab, "rush-holes")).market.syncStatus === "synced";
			for (let passed = 0; passed < MINUTES_MAX && !(await isSynced()); passed++) {
				await minute(lab);
			}
			stop();
			const { market, observedAt } = await detailOf(lab, "rush-holes");
			const place = lab.of("rush-holes").places[0] as Place;
			const day = dayOf(lab.of("rush-holes"), place, Date.parse(observedAt));
			expect(market.syncStatus).toBe("synced");
			expect(market.sales24h ?? 0).toBeLessThanOrEqual(day.sales);
			expect(market.volume_24h ?? 0).toBeLessThanOrEqual((day.volume ?? 0) + 1e-9);
		},
	},
	{
		number: 109,
		point,
		name: "no minute has more calls than the key allows",
		async run(lab) {
			const times = lab.provider.calls.map(({ atMs }) => atMs);
			const most = times.map(
				(from) => times.filter((at) => at >= from && at < from + 60_000).length,
			);
			expect(Math.max(...most)).toBeLessThanOrEqual(120);
			expect(lab.provider.calls.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(
				2,
			);
		},
	},
];
