import { expect, test } from "bun:test";
import { nextSteps, type Step } from "#plugins/reveal-snipe/detection/nextSteps.ts";

const STEPS = Object.keys(nextSteps) as Step[];

/** All allowed pairs; every other one is refused. */
const ALLOWED = new Set([
	"queued reading",
	"reading counting",
	"reading ended",
	"counting ranking",
	"ranking plans",
	"plans revealing",
	"revealing ended",
]);

test("steps follow each other in one order, and only reading can end early", () => {
	for (const from of STEPS) {
		for (const to of STEPS) {
			expect([from, to, nextSteps[from].includes(to)]).toEqual([
				from,
				to,
				ALLOWED.has(`${from} ${to}`),
			]);
		}
	}
});
