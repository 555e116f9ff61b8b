// Lists the cases that every implementation of a limiter passes.

import { afterEach, describe, expect } from "bun:test";
import type { Limiter } from "#core/limiter.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

/** A fresh limiter under test, and a way to let its windows end without waiting for them. */
export type LimiterUnderTest = {
	limiter: Limiter;
	/** Makes every open window end now (a clock moved, a key expired by the server). */
	endWindows(): Promise<void> | void;
	close?(): Promise<void> | void;
};

export type LimiterCasesOptions = {
	name: string;
	make(limits: {
		requestsMax: number;
		windowSeconds: number;
	}): Promise<LimiterUnderTest> | LimiterUnderTest;
	/** Case id to the reason it cannot hold here; the reason is printed. */
	skip?: Readonly<Record<string, string>>;
};

const WINDOW_SECONDS = 60;

type Make = (requestsMax: number) => Promise<LimiterUnderTest>;

/** Tests what every Limiter promises. Call it at the top of an implementation's test file. */
export function limiterCases(options: LimiterCasesOptions): void {
	describe(`limiter: ${options.name}`, () => {
		const opened: LimiterUnderTest[] = [];
		const make: Make = async (requestsMax) => {
			const made = await options.make({ requestsMax, windowSeconds: WINDOW_SECONDS });
			opened.push(made);
			return made;
		};
		afterEach(async () => {
			for (const made of opened.splice(0)) await made.close?.();
		});
		for (const [id, [sentence, run]] of Object.entries(cases)) {
			skipWithReason(options.skip?.[id] ?? null)(`${id} ${sentence}`, () => run(make));
		}
	});
}

const cases: Record<string, [sentence: string, run: (make: Make) => Promise<void>]> = {
	"L-01": [
		"the whole allowance is allowed and the next request is refused [SEC-02]",
		async (make) => {
			const { limiter } = await make(600);
			for (let taken = 1; taken <= 600; taken += 1) {
				expect((await limiter.take("a")).allowed).toBe(true);
			}
			expect((await limiter.take("a")).allowed).toBe(false);
		},
	],
	"L-02": [
		"the remaining count falls by one a request and stays at zero",
		async (make) => {
			const { limiter } = await make(3);
			const remaining = [];
			for (let taken = 0; taken < 5; taken += 1)
				remaining.push((await limiter.take("a")).remaining);
			expect(remaining).toEqual([2, 1, 0, 0, 0]);
		},
	],
	"L-03": [
		"one client's refusal leaves another untouched",
		async (make) => {
			const { limiter } = await make(1);
			await limiter.take("a");
			expect((await limiter.take("a")).allowed).toBe(false);
			expect(await limiter.take("b")).toMatchObject({ allowed: true, remaining: 0 });
		},
	],
	"L-04": [
		"a refusal names a wait within the window, and the limit",
		async (make) => {
			const { limiter } = await make(1);
			await limiter.take("a");
			const refused = await limiter.take("a");
			expect(refused.limit).toBe(1);
			expect(refused.retryAfterMs).toBeGreaterThan(0);
			expect(refused.retryAfterMs).toBeLessThanOrEqual(WINDOW_SECONDS * 1000);
			expect(refused.resetMs).toBeLessThanOrEqual(WINDOW_SECONDS * 1000);
		},
	],
	"L-05": [
		"the whole allowance is back when the window ends",
		async (make) => {
			const { limiter, endWindows } = await make(2);
			for (let taken = 0; taken < 3; taken += 1) await limiter.take("a");
			await endWindows();
			expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 1 });
		},
	],
	"L-06": [
		"asking while refused does not make the wait longer",
		async (make) => {
			const { limiter } = await make(1);
			await limiter.take("a");
			const first = await limiter.take("a");
			for (let taken = 0; taken < 50; taken += 1) await limiter.take("a");
			expect((await limiter.take("a")).retryAfterMs).toBeLessThanOrEqual(first.retryAfterMs);
		},
	],
	"L-07": [
		"requests taken at the same time share one allowance exactly",
		async (make) => {
			const { limiter } = await make(10);
			const answers = await Promise.all(Array.from({ length: 25 }, () => limiter.take("a")));
			expect(answers.filter((answer) => answer.allowed)).toHaveLength(10);
		},
	],
	"L-08": [
		"an allowed request has no wait, and its window has an end",
		async (make) => {
			const { limiter } = await make(2);
			const allowed = await limiter.take("a");
			expect(allowed.retryAfterMs).toBe(0);
			expect(allowed.resetMs).toBeGreaterThan(0);
		},
	],
	"L-09": [
		"any text is a key of its own",
		async (make) => {
			const { limiter } = await make(1);
			for (const key of [
				"",
				"__proto__",
				"constructor",
				"a:b",
				"a b",
				"::/64",
				"1",
				"01",
				"\u0000",
			]) {
				expect((await limiter.take(key)).allowed).toBe(true);
			}
		},
	],
	"L-10": [
		"a request taken at once is one of the same allowance [SEC-02]",
		async (make) => {
			const { limiter } = await make(3);
			// Who cannot decide at once does not say so, and is asked with `take` alone.
			if (!limiter.takeNow) return;
			expect(limiter.takeNow("a")).toMatchObject({ allowed: true, remaining: 2 });
			expect(await limiter.take("a")).toMatchObject({ allowed: true, remaining: 1 });
			expect(limiter.takeNow("a")).toMatchObject({ allowed: true, remaining: 0 });
			expect(limiter.takeNow("a")).toMatchObject({ allowed: false, remaining: 0 });
			expect((await limiter.take("a")).allowed).toBe(false);
			expect(limiter.takeNow("b").allowed).toBe(true);
		},
	],
};
