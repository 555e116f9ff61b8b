import { expect, test } from "bun:test";
import fc from "fast-check";
import { createBlockRhythm } from "#plugins/chain-scanner/lane/createBlockRhythm.ts";
import { RHYTHM_BLOCKS, RHYTHM_LEAD_MS, RHYTHM_LEAD_SHARE } from "#plugins/chain-scanner/limits.ts";

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
	return (afterMs: number) => {
		nowMs = lastMs + afterMs;
		return rhythm.dueForMs();
	};
}

const steady = (gapMs: number) => Array.from({ length: RHYTHM_BLOCKS }, () => gapMs);

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
	const wild = Array.from({ length: RHYTHM_BLOCKS }, (_, index) => 100 * 2 ** index);
	expect(heard(wild)(1_600)).toBe(0);
});

test("a block left out, or two at once, do not break the rhythm", () => {
	const gapsMs = steady(2_000);
	gapsMs[3] = 4_000;
	gapsMs[6] = 1;
	expect(heard(gapsMs)(2_000)).toBe(RHYTHM_LEAD_MS);
});

test("whatever the times between blocks, half of them at least is left to what can wait", () => {
	const gaps = fc.array(fc.integer({ min: 1, max: 20_000 }), {
		minLength: RHYTHM_BLOCKS,
		maxLength: RHYTHM_BLOCKS,
	});
	fc.assert(
		fc.property(gaps, fc.integer({ min: 0, max: 40_000 }), (gapsMs, afterMs) => {
			const usualMs = gapsMs.sort((a, b) => a - b)[RHYTHM_BLOCKS >> 1] ?? 0;
			const dueForMs = heard(gapsMs)(afterMs);
			expect(dueForMs).toBeGreaterThanOrEqual(0);
			expect(dueForMs).toBeLessThanOrEqual(2 * RHYTHM_LEAD_SHARE * usualMs + 1e-6);
			expect(dueForMs).toBeLessThanOrEqual(2 * RHYTHM_LEAD_MS);
		}),
	);
});
