import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRateLearner } from "#core/chain/rpc/budget/createRateLearner.ts";
import { LEARNED_KEPT_MS } from "#core/chain/rpc/budget/limits.ts";

const START_MS = 1_000_000;

/** Simulates a node with this limit, asked at the learner's rate; returns refusals and answers. */
function play(allowed: number, seconds: number, perSecondMax: number | null = null) {
	const learner = createRateLearner(perSecondMax);
	const history: { rate: number; refused: boolean }[] = [];
	for (let second = 0; second < seconds; second++) {
		const nowMs = START_MS + second * 1_000;
		const rate = learner.perSecond(nowMs) ?? 5_000;
		const refused = rate > allowed;
		if (refused) learner.refused(nowMs, { sent: rate, answered: allowed });
		else learner.wasBusy(nowMs);
		history.push({ rate, refused });
	}
	return history;
}

test("nothing limits before the first refusal, and what the operator set limits from the start", () => {
	expect(createRateLearner(null).perSecond(START_MS)).toBeNull();
	expect(createRateLearner(100).perSecond(START_MS)).toBe(100);
});

test("any limit is found within seconds, used by three quarters, and seldom tried above", () => {
	fc.assert(
		fc.property(fc.integer({ min: 5, max: 3_000 }), (allowed) => {
			const steady = play(allowed, 900).slice(300);
			const used = steady.reduce((sum, { rate, refused }) => sum + (refused ? 0 : rate), 0);
			expect(used / steady.length).toBeGreaterThan(0.75 * allowed);
			expect(steady.filter(({ refused }) => refused).length).toBeLessThan(20);
		}),
	);
});

test("what the operator set is never exceeded, whatever a node allows", () => {
	for (const { rate } of play(40, 300, 100).slice(1)) expect(rate).toBeLessThanOrEqual(100);
	for (const { rate } of play(10_000, 300, 100)) expect(rate).toBe(100);
});

test("refusals of one second are one, and the rate never falls below one call a second", () => {
	const learner = createRateLearner(null);
	expect(learner.refused(START_MS, { sent: 400, answered: 0 })).toBe(true);
	expect(learner.perSecond(START_MS)).toBe(200);
	expect(learner.refused(START_MS + 500, { sent: 400, answered: 0 })).toBe(false);
	expect(learner.perSecond(START_MS)).toBe(200);
	for (let second = 2; second < 60; second++) {
		learner.refused(START_MS + second * 1_000, { sent: 1, answered: 0 });
	}
	expect(learner.perSecond(START_MS + 60_000)).toBe(1);
});

test("a node that refused everything for a while has its rate again within a minute", () => {
	const learner = createRateLearner(null);
	for (let second = 0; second < 30; second++) {
		learner.refused(START_MS + second * 1_000, { sent: 100, answered: 0 });
	}
	let nowMs = START_MS + 30_000;
	for (let second = 0; second < 75; second++) {
		nowMs += 1_000;
		learner.wasBusy(nowMs);
	}
	expect(learner.perSecond(nowMs)).toBeGreaterThan(100);
});

test("a refusal while hardly anything was sent does not pass for a limit of that", () => {
	const learner = createRateLearner(null);
	learner.refused(START_MS, { sent: 1, answered: 0 });
	expect(learner.perSecond(START_MS)).toBe(10);
});

test("what was learned is forgotten once nothing was refused for long", () => {
	const learner = createRateLearner(null);
	learner.refused(START_MS, { sent: 100, answered: 50 });
	expect(learner.perSecond(START_MS + LEARNED_KEPT_MS)).toBe(50);
	expect(learner.perSecond(START_MS + LEARNED_KEPT_MS + 1)).toBeNull();
});

test("what another process learned counts if it is newer, and never above what is set", () => {
	const learner = createRateLearner(80);
	learner.adopt({ perSecond: 40, version: 3 }, START_MS);
	expect([learner.perSecond(START_MS), learner.version()]).toEqual([40, 3]);
	learner.adopt({ perSecond: 70, version: 2 }, START_MS);
	expect(learner.perSecond(START_MS)).toBe(40);
	learner.adopt({ perSecond: 500, version: 4 }, START_MS);
	expect(learner.perSecond(START_MS)).toBe(80);
});
