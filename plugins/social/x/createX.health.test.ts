import { expect, test } from "bun:test";
import type { Queryable } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { XAnswer } from "#plugins/social/x/callX.ts";
import { createXHealth } from "#plugins/social/x/createX.ts";

// Guarantee: what X refuses, wants to be paid for or does not send is told to operators by a code
// with what to do, from the first time that counts, and is told no more once X answers again.

const NOW_MS = Date.UTC(2026, 10, 28);

function open({ isOpen = true }: { isOpen?: boolean } = {}) {
	const state = { ms: NOW_MS, newest: null as Date | null, endsAt: null as Date | null };
	const db = {
		query: async () => (state.newest ? [{ at: state.newest }] : []),
		execute: async () => 0,
	} as unknown as Queryable;
	const health = createXHealth({
		core: { clock: { nowMs: () => state.ms }, db },
		reads: { state: async () => ({ endsAt: state.endsAt }) } as never,
		isOpen,
	});
	const codes = async () => (await health.degraded()).map(({ code }) => code);
	return { state, health, codes };
}

const refused = (status: number): XAnswer => ({ kind: "refused", status, detail: "no" });
const good: XAnswer = { kind: "read", json: {}, window: null };
const unpaid: XAnswer = { kind: "limited", untilMs: 0, window: null, isUnpaid: true };

test.each([
	["401", "social_unauthorized", refused(401), 1],
	["402", "social_unpaid", unpaid, 1],
	["403", "social_refused", refused(403), 3],
] as const)(
	"%s is reported as %s, with its age and what to do, until X answers",
	async (_, code, answer, least) => {
		const { state, health, codes } = open();
		for (let times = 1; times < least; times++) {
			health.answered(answer);
			expect(await codes()).toEqual([]);
		}
		health.answered(answer);
		state.ms += 60_000;
		const [told] = await health.degraded();
		expect(told).toMatchObject({ code, count: least, oldestAgeSeconds: 60 });
		expect(told?.action.length).toBeGreaterThan(20);
		// What X limits, or did not answer, says nothing of it.
		health.answered({ kind: "limited", untilMs: 0, window: null });
		health.answered({ kind: "unknown", detail: "a time-out" });
		expect(await codes()).toEqual([code]);
		health.answered(good);
		expect(await codes()).toEqual([]);
	},
);

test("a token that X does not renew is reported until X renews it, whatever else X answers", async () => {
	const { health, codes } = open();
	health.renewed(false);
	health.answered(good);
	expect(await codes()).toEqual(["social_token_dead"]);
	health.renewed(true);
	expect(await codes()).toEqual([]);
});

test("a day without any received text is reported, also if nothing was ever received", async () => {
	const { state, codes } = open();
	state.ms += DAY_MS;
	expect(await codes()).toEqual([]);
	state.ms += 1;
	expect(await codes()).toEqual(["social_silent"]);
	state.newest = new Date(state.ms - HOUR_MS);
	expect(await codes()).toEqual([]);
	state.ms += DAY_MS;
	expect(await codes()).toEqual(["social_silent"]);
});

test("a month's budget that ends early is reported, and nothing is without an open account", async () => {
	const { state, codes } = open();
	state.endsAt = new Date(NOW_MS + DAY_MS);
	expect(await codes()).toEqual(["social_reads_end"]);
	const closed = open({ isOpen: false });
	closed.state.endsAt = state.endsAt;
	closed.state.ms += 3 * DAY_MS;
	expect(await closed.codes()).toEqual([]);
});
