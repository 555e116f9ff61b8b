import { describe, expect, test } from "bun:test";
import { lowerPhase, roundsBelow } from "#plugins/prices/history/fillGaps.ts";

describe("roundIds", () => {
	const inPhase = (phase: bigint, number: bigint) => (phase << 64n) | number;

	test("round ids count down to the first one of their phase, and not into the phase before", () => {
		expect(roundsBelow(inPhase(2n, 4n), { below: 0n, countMax: 10 })).toEqual([
			inPhase(2n, 3n),
			inPhase(2n, 2n),
			inPhase(2n, 1n),
		]);
		expect(roundsBelow(inPhase(2n, 1n), { below: 0n, countMax: 10 })).toEqual([]);
		expect(roundsBelow(4n, { below: 1n, countMax: 10 })).toEqual([3n, 2n]);
		expect(roundsBelow(400n, { below: 1n, countMax: 2 })).toEqual([399n, 398n]);
	});

	test("an aggregator without a proxy has no phases", () => {
		expect(lowerPhase(inPhase(3n, 9n))).toBe(2n);
		expect(lowerPhase(inPhase(1n, 9n))).toBeNull();
		expect(lowerPhase(9n)).toBeNull();
	});
});
