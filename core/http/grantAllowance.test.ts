import { expect, test } from "bun:test";
import { faultOf } from "#core/http/faultOf.ts";
import { grantAllowance } from "#core/http/grantAllowance.ts";

const taken = { allowed: true, limit: 600, remaining: 7, resetMs: 41_001, retryAfterMs: 0 };

test("an allowed request is told what is left, its window's end rounded up to a second", () => {
	const headers = new Map<string, string>();
	grantAllowance(taken, headers);
	expect(Object.fromEntries(headers)).toEqual({
		"ratelimit-limit": "600",
		"ratelimit-remaining": "7",
		"ratelimit-reset": "42",
	});
});

test("[SEC-02] a refused one is told too, and is thrown with its wait", () => {
	const headers = new Map<string, string>();
	const refused = { ...taken, allowed: false, remaining: 0, retryAfterMs: 41_001 };
	let thrown: unknown;
	try {
		grantAllowance(refused, headers);
	} catch (error) {
		thrown = error;
	}
	expect(faultOf(thrown)).toMatchObject({
		status: 429,
		members: { provider: "svc", retryAfterMs: 41_001 },
	});
	expect(headers.get("ratelimit-remaining")).toBe("0");
});
