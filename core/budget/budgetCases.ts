// Lists the cases that every implementation of a budget passes.

import { afterEach, describe, expect } from "bun:test";
import type { Budget, BudgetAnswer, BudgetShare } from "#core/budget/Budget.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

/** A fresh budget under test, and a way to let time pass for it without waiting. */
export type BudgetUnderTest = {
	budget: Budget;
	advance(ms: number): Promise<void> | void;
	close?(): Promise<void> | void;
};

export type BudgetCasesOptions = {
	name: string;
	make(): Promise<BudgetUnderTest> | BudgetUnderTest;
	/** The reason why none of the cases can run here; it is printed. */
	skip?: string | null;
};

const WINDOW_MS = 60_000;

type World = {
	take(amount?: number, name?: string): Promise<BudgetAnswer>;
	/** Takes one unit of these kinds. */
	takeOf(...shares: readonly BudgetShare[]): Promise<BudgetAnswer>;
	pause(forMs: number): Promise<void>;
	advance(ms: number): Promise<void> | void;
};

/** Tests what every Budget promises. Call it at the top of an implementation's test file. */
export function budgetCases(options: BudgetCasesOptions): void {
	describe(`budget: ${options.name}`, () => {
		const opened: BudgetUnderTest[] = [];
		const make = async (perWindow: number): Promise<World> => {
			const made = await options.make();
			opened.push(made);
			return {
				take: (amount = 1, name = "upstream") =>
					made.budget.take(name, { amount, perWindow, windowMs: WINDOW_MS }),
				takeOf: (...shares) =>
					made.budget.take("upstream", { amount: 1, perWindow, windowMs: WINDOW_MS, shares }),
				pause: (forMs) => made.budget.pause("upstream", forMs),
				advance: made.advance,
			};
		};
		afterEach(async () => {
			for (const made of opened.splice(0)) await made.close?.();
		});
		for (const [id, [sentence, run]] of Object.entries(cases)) {
			skipWithReason(options.skip ?? null)(`${id} ${sentence}`, () => run(make));
		}
	});
}

type Case = [sentence: string, run: (make: (perWindow: number) => Promise<World>) => Promise<void>];

const cases: Record<string, Case> = {
	"B-01": [
		"the whole window is granted, then nothing",
		async (make) => {
			const { take } = await make(3);
			const answers = [await take(), await take(), await take(), await take()];
			expect(answers.map(({ granted, remaining }) => [granted, remaining])).toEqual([
				[true, 2],
				[true, 1],
				[true, 0],
				[false, 0],
			]);
		},
	],
	"B-02": [
		"a take is granted whole or not at all, and a refused one costs nothing",
		async (make) => {
			const { take } = await make(10);
			await take(7);
			expect(await take(4)).toMatchObject({ granted: false, remaining: 3 });
			expect(await take(3)).toMatchObject({ granted: true, remaining: 0 });
		},
	],
	"B-03": [
		"no span of a window's length sees more than a window's worth, wherever it begins",
		async (make) => {
			const { take, advance } = await make(10);
			await take(4);
			await advance(40_000);
			await take(6);
			await advance(30_000);
			expect(await take(5)).toMatchObject({ granted: false, remaining: 4 });
			expect(await take(4)).toMatchObject({ granted: true, remaining: 0 });
			await advance(35_000);
			expect(await take(6)).toMatchObject({ granted: true, remaining: 0 });
		},
	],
	"B-04": [
		"who waits as long as was said is granted, and who does not is refused",
		async (make) => {
			const { take, advance } = await make(2);
			await take();
			await advance(20_000);
			await take();
			const refused = await take(2);
			expect(refused.retryAfterMs).toBeGreaterThan(50_000);
			expect(refused.retryAfterMs).toBeLessThanOrEqual(WINDOW_MS);
			await advance(refused.retryAfterMs - 5_000);
			expect((await take(2)).granted).toBe(false);
			await advance(5_000);
			expect((await take(2)).granted).toBe(true);
		},
	],
	"B-05": [
		"asking while refused does not make the wait longer",
		async (make) => {
			const { take } = await make(1);
			await take();
			const first = await take();
			for (let turn = 0; turn < 50; turn++) await take();
			expect((await take()).retryAfterMs).toBeLessThanOrEqual(first.retryAfterMs);
		},
	],
	"B-06": [
		"takes at the same time share one window exactly",
		async (make) => {
			const { take } = await make(10);
			const answers = await Promise.all(Array.from({ length: 25 }, () => take()));
			expect(answers.filter(({ granted }) => granted)).toHaveLength(10);
		},
	],
	"B-07": [
		"one name's takes leave another's window untouched, and any text is a name",
		async (make) => {
			const { take } = await make(1);
			for (const name of ["", "__proto__", "a:b", "a b", "{a}", "\u0000", "a".repeat(5_000)]) {
				expect(await take(1, name)).toMatchObject({ granted: true, remaining: 0 });
				expect((await take(1, name)).granted).toBe(false);
			}
		},
	],
	"B-08": [
		"terms that could never be granted are our mistake",
		async (make) => {
			const { take } = await make(2);
			for (const amount of [3, 0, -1, 0.5, Number.NaN]) {
				await expect(take(amount)).rejects.toThrow();
			}
			expect(await take(2)).toMatchObject({ granted: true });
		},
	],
	"B-09": [
		"a kind has no more than its share, which counts into the whole, and leaves others the rest",
		async (make) => {
			const { takeOf, take } = await make(5);
			const search = { of: "search", perWindow: 2 };
			const client = { of: "client", perWindow: 3 };
			expect(await takeOf(client, search)).toMatchObject({ granted: true, remaining: 1 });
			expect(await takeOf(client, search)).toMatchObject({ granted: true, remaining: 0 });
			expect(await takeOf(client, search)).toMatchObject({ granted: false, remaining: 0 });
			expect(await takeOf(client)).toMatchObject({ granted: true, remaining: 0 });
			expect((await takeOf(client)).granted).toBe(false);
			expect(await take(2)).toMatchObject({ granted: true, remaining: 0 });
			expect((await take()).granted).toBe(false);
		},
	],
	"B-10": [
		"a share's refusal ends when its own oldest unit leaves the window",
		async (make) => {
			const { takeOf, advance } = await make(10);
			const search = { of: "search", perWindow: 1 };
			await takeOf({ of: "client", perWindow: 9 });
			await advance(20_000);
			await takeOf(search);
			await advance(20_000);
			const refused = await takeOf(search);
			expect(refused.retryAfterMs).toBeGreaterThan(30_000);
			expect(refused.retryAfterMs).toBeLessThanOrEqual(40_000);
			await advance(40_000);
			expect((await takeOf(search)).granted).toBe(true);
		},
	],
	"B-11": [
		"a pause grants nothing until it is over, and a shorter one does not end it",
		async (make) => {
			const { take, pause, advance } = await make(10);
			await take();
			await pause(300_000);
			await pause(1_000);
			const refused = await take();
			expect(refused).toMatchObject({ granted: false, remaining: 0 });
			expect(refused.retryAfterMs).toBeGreaterThan(290_000);
			expect(refused.retryAfterMs).toBeLessThanOrEqual(300_000);
			await advance(290_000);
			expect((await take()).granted).toBe(false);
			await advance(10_000);
			expect((await take()).granted).toBe(true);
			await expect(pause(0)).rejects.toThrow();
			await expect(pause(3_600_001)).rejects.toThrow();
		},
	],
	"B-12": [
		"a pause before the first take holds, and one that ended leaves the window as it was",
		async (make) => {
			const { take, pause, advance } = await make(2);
			await pause(1_000);
			expect((await take()).granted).toBe(false);
			await advance(1_000);
			expect(await take()).toMatchObject({ granted: true, remaining: 1 });
		},
	],
};
