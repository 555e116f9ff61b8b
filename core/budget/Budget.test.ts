import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRefusals, judgeTake } from "#core/budget/Budget.ts";

describe("createRefusals", () => {
	const terms = { amount: 1, perWindow: 5, windowMs: 60_000 };
	const answer = { granted: false, remaining: 0, retryAfterMs: 1_000 };

	function make() {
		const time = { nowMs: 10_000 };
		return { time, refusals: createRefusals({ nowMs: () => time.nowMs }) };
	}

	test("a refusal is remembered for its wait, and only for the same key and terms", () => {
		const { time, refusals } = make();
		refusals.add("a", terms, answer);
		time.nowMs += 400;
		expect(refusals.find("a", terms)).toEqual({ ...answer, retryAfterMs: 600 });
		expect(refusals.find("b", terms)).toBeNull();
		expect(refusals.find("a", { ...terms, perWindow: 6 })).toBeNull();
		const shares = [{ of: "search", perWindow: 1 }];
		expect(refusals.find("a", { ...terms, shares })).toBeNull();
		time.nowMs += 600;
		expect(refusals.find("a", terms)).toBeNull();
	});

	test("a refusal is forgotten when the clock is set back", () => {
		const { time, refusals } = make();
		refusals.add("a", terms, answer);
		time.nowMs -= 3_600_000;
		expect(refusals.find("a", terms)).toBeNull();
	});
});

describe("judgeTake", () => {
	const KINDS = ["view", "search"];
	const unit = fc.record({ atMs: fc.nat(999), of: fc.subarray(KINDS) });
	const terms = fc.record({
		amount: fc.integer({ min: 1, max: 3 }),
		perWindow: fc.integer({ min: 3, max: 12 }),
		windowMs: fc.constant(1_000),
		shares: fc
			.subarray(KINDS)
			.chain((kinds) =>
				fc.tuple(
					...kinds.map((of) =>
						fc.record({ of: fc.constant(of), perWindow: fc.integer({ min: 3, max: 9 }) }),
					),
				),
			),
	});

	/** All units of the last second, told at its end. */
	const now = { nowMs: 1_000, pausedMs: 0 };
	const sorted = fc.array(unit, { maxLength: 20 }).map((units) => {
		return units.map((one) => ({ ...one, atMs: one.atMs + 1 })).sort((a, b) => a.atMs - b.atMs);
	});

	test("a take is granted exactly if each of its limits has room", () => {
		fc.assert(
			fc.property(sorted, terms, (taken, given) => {
				const limits = [{ of: null, perWindow: given.perWindow }, ...given.shares];
				const rooms = limits.map(({ of, perWindow }) => {
					return perWindow - taken.filter((one) => of === null || one.of.includes(of)).length;
				});
				const least = Math.max(0, Math.min(...rooms));
				const { granted, remaining } = judgeTake(taken, given, now);
				expect(granted).toBe(least >= given.amount);
				expect(remaining).toBe(granted ? least - given.amount : least);
			}),
		);
	});

	test("a take is granted after the wait that its refusal named, and not a millisecond earlier", () => {
		fc.assert(
			fc.property(sorted, terms, (taken, given) => {
				const { granted, retryAfterMs } = judgeTake(taken, given, now);
				if (granted) return expect(retryAfterMs).toBe(0);
				const at = (nowMs: number) =>
					judgeTake(
						taken.filter(({ atMs }) => atMs > nowMs - given.windowMs),
						given,
						{ nowMs, pausedMs: 0 },
					).granted;
				expect(at(now.nowMs + retryAfterMs)).toBe(true);
				expect(at(now.nowMs + retryAfterMs - 1)).toBe(false);
			}),
		);
	});

	test("during a pause no take is granted, even if all limits have room", () => {
		const given = { amount: 1, perWindow: 3, windowMs: 1_000 };
		expect(judgeTake([], given, { nowMs: 1_000, pausedMs: 7 })).toEqual({
			granted: false,
			remaining: 0,
			retryAfterMs: 7,
		});
	});
});
