import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	RESTS_AFTER_GAPS,
	RHYTHM_GAPS,
	RHYTHM_LEAD_MS,
	RHYTHM_LEAD_SHARE,
} from "#plugins/chain-scanner/limits.ts";
import { createBlockRhythm } from "#plugins/chain-scanner/write/createBlockRhythm.ts";

/** A chain whose blocks come after these times, and a clock to look at it with. */
function heard(gapsMs: readonly number[]) {
	let nowMs = 0;
	const rhythm = createBlockRhythm(() => nowMs);
	rhythm.came();
	for (const gapMs of gapsMs) {
		nowMs += gapMs;
		rhythm.came();
	}
	const lastMs = nowMs;
	const at = (afterMs: number) => {
		nowMs = lastMs + afterMs;
		return rhythm;
	};
	return Object.assign((afterMs: number) => at(afterMs).dueForMs(), {
		calmAt: (afterMs: number) => at(afterMs).calmForMs(),
	});
}

const steady = (gapMs: number) => Array.from({ length: RHYTHM_GAPS }, () => gapMs);

test("a block that comes by the clock is waited for shortly before its time, and not long after", () => {
	const dueAt = heard(steady(1_000));
	expect(dueAt(0)).toBe(0);
	expect(dueAt(1_000 - RHYTHM_LEAD_MS - 1)).toBe(0);
	expect(dueAt(1_000 - RHYTHM_LEAD_MS)).toBe(2 * RHYTHM_LEAD_MS);
	expect(dueAt(1_000)).toBe(RHYTHM_LEAD_MS);
	expect(dueAt(1_000 + RHYTHM_LEAD_MS)).toBe(0);
	// Late for good: nobody waits for a chain that stands still.
	expect(dueAt(60_000)).toBe(0);
});

test("nothing is foretold of a chain that has not been heard for long, or that keeps no time", () => {
	expect(heard(steady(1_000).slice(1))(1_000)).toBe(0);
	const wild = Array.from({ length: RHYTHM_GAPS }, (_, index) => 100 * 2 ** index);
	expect(heard(wild)(1_600)).toBe(0);
});

test("a block left out, or two at once, do not break the rhythm", () => {
	const gapsMs = steady(2_000);
	gapsMs[3] = 4_000;
	gapsMs[6] = 1;
	expect(heard(gapsMs)(2_000)).toBe(RHYTHM_LEAD_MS);
});

test("a quick chain leaves half its time at least to what can wait", () => {
	const dueAt = heard(steady(40));
	expect(dueAt(29)).toBe(0);
	expect(dueAt(30)).toBe(20);
	expect(dueAt(40)).toBe(10);
	expect(dueAt(50)).toBe(0);
});

test("whatever a steady chain's times are, it is waited for around the usual one, and no longer", () => {
	const cases = fc.integer({ min: 20, max: 12_000 }).chain((gapMs) => {
		const jitterMs = Math.floor(gapMs / 10);
		return fc.record({
			gapsMs: fc.array(fc.integer({ min: gapMs - jitterMs, max: gapMs + jitterMs }), {
				minLength: RHYTHM_GAPS,
				maxLength: RHYTHM_GAPS,
			}),
			offMs: fc.integer({ min: -2 * RHYTHM_LEAD_MS, max: 2 * RHYTHM_LEAD_MS }),
		});
	});
	fc.assert(
		fc.property(cases, ({ gapsMs, offMs }) => {
			const usualMs = gapsMs.toSorted((a, b) => a - b)[RHYTHM_GAPS >> 1] ?? 0;
			const leadMs = Math.min(RHYTHM_LEAD_MS, usualMs * RHYTHM_LEAD_SHARE);
			const isNear = offMs >= -leadMs && offMs < leadMs;
			expect(heard(gapsMs)(usualMs + offMs)).toBeCloseTo(isNear ? leadMs - offMs : 0, 6);
		}),
	);
});

test("calm lasts until the shortest of the last times between blocks, and for ever once they stop", () => {
	const ever = Number.POSITIVE_INFINITY;
	expect(createBlockRhythm().calmForMs()).toBe(ever);
	// One block is where the chain stood when it was first heard.
	expect(heard([]).calmAt(0)).toBe(ever);
	const { calmAt } = heard([2_000, 500, 2_000]);
	expect(calmAt(0)).toBe(500 - RHYTHM_LEAD_MS);
	expect(calmAt(400)).toBe(100 - RHYTHM_LEAD_MS);
	expect(calmAt(500)).toBe(0);
	expect(calmAt(2_000 * RESTS_AFTER_GAPS)).toBe(0);
	expect(calmAt(2_000 * RESTS_AFTER_GAPS + 1)).toBe(ever);
});
