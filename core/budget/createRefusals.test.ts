import { expect, test } from "bun:test";
import { createRefusals } from "#core/budget/createRefusals.ts";

const terms = { amount: 1, perWindow: 5, windowMs: 60_000 };
const answer = { granted: false, remaining: 0, retryAfterMs: 1_000 };

function make() {
	const time = { nowMs: 10_000 };
	return { time, refusals: createRefusals({ nowMs: () => time.nowMs }) };
}

test("a refusal is known until it may be over, for the same terms alone", () => {
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

test("a clock that is set back forgets it", () => {
	const { time, refusals } = make();
	refusals.add("a", terms, answer);
	time.nowMs -= 3_600_000;
	expect(refusals.find("a", terms)).toBeNull();
});
