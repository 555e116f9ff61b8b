import { expect, test } from "bun:test";
import fc from "fast-check";
import { budgetCases } from "#core/budget/budgetCases.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";

function make(startMs = 1_000_000) {
	let nowMs = startMs;
	const budget = inProcessBudget({ clock: { nowMs: () => nowMs } });
	return {
		budget,
		advance(ms: number) {
			nowMs += ms;
		},
	};
}

budgetCases({ name: "in process", make });

test("no window ever holds more units than it may", async () => {
	const turn = fc.record({ amount: fc.integer({ min: 1, max: 5 }), ms: fc.nat(70) });
	await fc.assert(
		fc.asyncProperty(fc.array(turn, { maxLength: 60 }), async (turns) => {
			const { budget, advance } = make();
			const granted: { atMs: number; amount: number }[] = [];
			let atMs = 0;
			for (const { amount, ms } of turns) {
				advance(ms);
				atMs += ms;
				const answer = await budget.take("a", { amount, perWindow: 5, windowMs: 100 });
				if (answer.granted) granted.push({ atMs, amount });
				const inWindow = granted.filter((take) => take.atMs > atMs - 100);
				expect(inWindow.reduce((sum, take) => sum + take.amount, 0)).toBeLessThanOrEqual(5);
			}
		}),
	);
});

test("a clock that is set back far refuses takes for at most one window", async () => {
	const { budget, advance } = make();
	const terms = { amount: 1, perWindow: 1, windowMs: 60_000 };
	await budget.take("a", terms);
	advance(-600_000);
	expect((await budget.take("a", terms)).granted).toBe(true);
});

test("creating names without end fails an assertion before memory is full", async () => {
	const { budget } = make();
	const terms = { amount: 1, perWindow: 1, windowMs: 60_000 };
	for (let index = 0; index < 1_000; index++) await budget.take(`${index}`, terms);
	await expect(budget.take("one more", terms)).rejects.toThrow();
});
