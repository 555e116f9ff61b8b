import { expect, test } from "bun:test";
import { movesBy } from "#core/states.ts";
import { isOpen, PLAN_STATUSES, type PlanEvent, planMoves } from "#plugins/reveal-snipe/model.ts";

const EVENTS: readonly PlanEvent[] = ["pause", "drift", "resume", "complete", "cancel", "expire"];

/** All allowed pairs, written a second time by hand. */
const EXPECTED: Readonly<Record<string, string>> = {
	"armed pause": "paused",
	"armed drift": "paused",
	"armed complete": "completed",
	"armed cancel": "cancelled",
	"armed expire": "expired",
	"paused resume": "armed",
	"paused complete": "completed",
	"paused cancel": "cancelled",
	"paused expire": "expired",
};

test("each pair of a status and an event leads to the status in the table, and no other leads anywhere", () => {
	for (const from of PLAN_STATUSES) {
		for (const event of EVENTS) {
			expect([from, event, planMoves[from][event]]).toEqual([
				from,
				event,
				EXPECTED[`${from} ${event}`] as never,
			]);
		}
	}
});

test("an event leads to one status, from wherever it is possible", () => {
	for (const event of EVENTS) {
		expect(new Set(movesBy(planMoves, event).map(({ to }) => to)).size).toBe(1);
	}
});

test("no event leaves a final status, and only open plans can buy", () => {
	for (const status of PLAN_STATUSES) {
		expect(isOpen(status)).toBe(Object.keys(planMoves[status]).length > 0);
	}
});
