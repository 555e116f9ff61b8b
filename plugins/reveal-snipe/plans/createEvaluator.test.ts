import { expect, test } from "bun:test";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { createFillTurns } from "#plugins/reveal-snipe/plans/createEvaluator.ts";

const { signal } = new AbortController();
const turnsOf = (atOnce: number, perMinute = 600) =>
	createFillTurns({ budget: inProcessBudget({ clock: { nowMs: () => 0 } }), perMinute, atOnce });

/** Takes `count` turns for a plan, one after the other, and records each. */
async function run(
	turns: ReturnType<typeof createFillTurns>,
	{ planId, count, got }: { planId: string; count: number; got: string[] },
): Promise<void> {
	for (let turn = 0; turn < count; turn++) {
		const release = await turns.take(planId, signal);
		got.push(planId);
		await Promise.resolve();
		release?.();
	}
}

test("a plan with many candidates blocks no other: the one with the fewest turns is next", async () => {
	const turns = turnsOf(1);
	const got: string[] = [];
	const greedy = Array.from({ length: 20 }, () => run(turns, { planId: "greedy", count: 1, got }));
	const others = ["a", "b", "c"].map((planId) => run(turns, { planId, count: 2, got }));
	await Promise.all([...greedy, ...others]);
	expect(got).toHaveLength(26);
	// Each of the other plans had two turns among the first ten.
	for (const planId of ["a", "b", "c"]) {
		expect(got.slice(0, 10).filter((one) => one === planId)).toHaveLength(2);
	}
});

test("the number of simultaneous turns is limited, and a plan that gives up no longer waits", async () => {
	const turns = turnsOf(2);
	const [first, second] = await Promise.all([turns.take("a", signal), turns.take("b", signal)]);
	const leaving = new AbortController();
	const third = turns.take("c", leaving.signal);
	leaving.abort();
	expect(await third).toBeNull();
	const fourth = turns.take("d", signal);
	first?.();
	first?.();
	expect(await fourth).not.toBeNull();
	second?.();
	expect(await turns.take("e", AbortSignal.abort())).toBeNull();
});

test("in a minute there are at most as many turns as all processes together may have", async () => {
	const turns = turnsOf(10, 3);
	const leaving = new AbortController();
	const got: (unknown | null)[] = [];
	const asked = Array.from({ length: 5 }, (_, index) =>
		turns.take(`${index}`, leaving.signal).then((release) => got.push(release)),
	);
	await Promise.all(asked.slice(0, 3));
	leaving.abort();
	await Promise.all(asked);
	expect(got.filter((release) => release !== null)).toHaveLength(3);
});
