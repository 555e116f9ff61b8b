import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { budgetLab, createLabTime } from "#core/chain/rpc/budget/testing/budgetLab.ts";
import { createLastSecond } from "#core/chain/rpc/callBudget.ts";
import type { RpcRank } from "#core/chain/rpc/Rpc.ts";
import { localTimeline } from "#core/chain/rpc/timelines.ts";

describe("createCallBudget", () => {
	test("a batch is granted as a whole, at once and synchronously, if there is no limit", () => {
		const { budget } = budgetLab(null);
		for (let turn = 0; turn < 1_000; turn++) expect(budget.take(250, { rank: 3 })).toBe(250);
		expect(budget.isLimited()).toBe(false);
		budget.refused(0);
		expect(budget.isLimited()).toBe(true);
		expect(budgetLab(100).budget.isLimited()).toBe(true);
	});

	test("no second holds more calls than are allowed, wherever it begins, and most of them are used", async () => {
		const burst = fc.record({
			afterMs: fc.integer({ min: 0, max: 1_500 }),
			calls: fc.integer({ min: 1, max: 60 }),
			rank: fc.constantFrom<RpcRank[]>(1, 2, 3, 4, 5),
		});
		const bursts = fc.array(burst, { minLength: 1, maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(bursts, fc.integer({ min: 2, max: 300 }), async (all, perSecond) => {
				const lab = budgetLab(perSecond);
				const sent: Promise<void>[] = [];
				for (const { afterMs, calls, rank } of all) {
					await lab.advance(afterMs);
					sent.push(lab.send(calls, rank));
				}
				const total = all.reduce((sum, { calls }) => sum + calls, 0);
				await lab.advance((total / perSecond) * 1_200 + 20_000);
				await Promise.all(sent);
				expect(lab.mostInASecond()).toBeLessThanOrEqual(perSecond);
			}),
			{ numRuns: 40 },
		);
	});

	test("two processes that share an endpoint's limit stay within it together", async () => {
		const time = createLabTime();
		const timeline = localTimeline(time.clock);
		const labs = [budgetLab(100, { time, timeline }), budgetLab(100, { time, timeline })];
		const sent = labs.map((lab) => lab.send(300, 3));
		await time.advance(8_000);
		await Promise.all(sent);
		const [one, other] = labs;
		one?.granted.push(...(other?.granted ?? []));
		expect(one?.mostInASecond()).toBeLessThanOrEqual(100);
		const lastMs = Math.max(...(one?.granted ?? []).map(({ atMs }) => atMs));
		expect(lastMs - 1_000_000).toBeLessThan(7_000);
	});

	test("a process that was suspended does not send more calls afterwards to catch up", async () => {
		const lab = budgetLab(100);
		const sent = lab.send(200, 3);
		await lab.advance(500);
		const before = lab.granted.length;
		// As with a busy event loop: time passes, but no waiting call runs.
		const { nowMs } = lab.clock;
		lab.clock.nowMs = () => nowMs() + 150;
		await lab.advance(0);
		await lab.advance(3_000);
		await sent;
		expect(lab.granted.length).toBeGreaterThan(before);
		expect(lab.mostInASecond()).toBeLessThanOrEqual(100);
	});

	test("an intent's calls are sent before those of a catch-up that waited first", async () => {
		const lab = budgetLab(100);
		const stopping = new AbortController();
		const catchUp = lab.send(1_000, 3, stopping.signal).catch(() => {});
		await lab.advance(1_000);
		const beganMs = lab.clock.nowMs();
		const intent = lab.send(4, 1);
		await lab.advance(100);
		await intent;
		const mine = lab.granted.filter(({ rank }) => rank === 1);
		expect(mine.reduce((sum, { calls }) => sum + calls, 0)).toBe(4);
		expect((mine.at(-1)?.atMs ?? 0) - beganMs).toBeLessThanOrEqual(60);
		stopping.abort();
		await catchUp;
	});

	test("a caller that gives up is answered at once and frees its place in the queue", async () => {
		const lab = budgetLab(10);
		const stopping = new AbortController();
		const given = lab.send(500, 1, stopping.signal).catch((error) => error);
		await lab.advance(1_000);
		stopping.abort();
		expect(await given).toMatchObject({ code: "rpc_transport", meta: { paced: true } });
		const other = lab.send(2, 5);
		await lab.advance(1_000);
		await other;
		const late = await Promise.resolve(
			lab.budget.take(1, { rank: 1, signal: stopping.signal }),
		).catch((error) => error);
		expect(late).toMatchObject({ meta: { paced: true } });
	});

	test("after a refusal no call is sent during the pause, and then calls are sent at a lower rate", async () => {
		const lab = budgetLab(null);
		expect(lab.budget.take(200, { rank: 3 })).toBe(200);
		lab.budget.answered(100);
		expect(lab.budget.refused(2_000)).toBe(2_000);
		const sent = lab.send(100, 3);
		await lab.advance(1_999);
		expect(lab.granted).toEqual([]);
		await lab.advance(5_000);
		await sent;
		expect(lab.mostInASecond()).toBeLessThanOrEqual(110);
		expect(lab.mostInASecond()).toBeGreaterThan(60);
	});

	test("a refusal without a retry time doubles the pause up to 30 s, until a call is answered", () => {
		const time = createLabTime();
		const { budget } = budgetLab(null, { time });
		const pauses: number[] = [];
		const refuse = async (told: number) => {
			const pauseMs = budget.refused(told);
			pauses.push(pauseMs);
			await time.advance(pauseMs);
		};
		return (async () => {
			for (let turn = 0; turn < 7; turn++) await refuse(0);
			expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
			budget.answered(1);
			await refuse(0);
			await refuse(10 * 365 * 86_400_000);
			expect(pauses.slice(-2)).toEqual([1_000, 30_000]);
		})();
	});

	test("calls over a socket count against the limit", async () => {
		const lab = budgetLab(10);
		lab.budget.spent(10);
		const sent = lab.send(1, 1);
		await lab.advance(900);
		expect(lab.granted).toEqual([]);
		await lab.advance(300);
		await sent;
	});
});

describe("createLastSecond", () => {
	test("a call counts in the last second for one second, exact to a tenth", () => {
		const last = createLastSecond();
		last.add(3, 1_000_000);
		last.add(4, 1_000_500);
		expect(last.sum(1_000_900)).toBe(7);
		expect(last.sum(1_001_050)).toBe(4);
		expect(last.sum(1_001_600)).toBe(0);
		last.add(5, 2_000_000);
		expect(last.sum(2_000_000)).toBe(5);
	});

	test("the count starts again when the clock is set back", () => {
		const last = createLastSecond();
		last.add(3, 1_000_000);
		expect(last.sum(900_000)).toBe(0);
	});
});
