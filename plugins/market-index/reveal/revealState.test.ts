import { expect, test } from "bun:test";
import {
	nextRevealState,
	type RevealEvent,
	type RevealState,
} from "#plugins/market-index/reveal/revealState.ts";

const STATES: RevealState[] = ["unknown", "placeholder", "revealed"];
const EVENTS: RevealEvent[] = ["looks_hidden", "looks_shown", "covered"];

/** Every pair, written by hand: null is a move that is refused. */
const EXPECTED: Record<RevealState, Record<RevealEvent, RevealState | null>> = {
	unknown: { looks_hidden: "placeholder", looks_shown: "revealed", covered: "revealed" },
	placeholder: { looks_hidden: null, looks_shown: null, covered: "revealed" },
	revealed: { looks_hidden: "placeholder", looks_shown: null, covered: null },
};

for (const state of STATES) {
	for (const event of EVENTS) {
		const next = EXPECTED[state][event];
		test(`${state} and ${event} gives ${next ?? "no move"}`, () => {
			expect(nextRevealState(state, event)).toBe(next);
		});
	}
}

test("no event leads back to unknown, and each state can be left", () => {
	for (const state of STATES) {
		const nexts = EVENTS.map((event) => nextRevealState(state, event));
		expect(nexts).not.toContain("unknown");
		expect(nexts.some((next) => next !== null)).toBe(true);
	}
});
