import { expect, test } from "bun:test";
import { faultOf } from "#core/http/faultOf.ts";
import type { RequestContext } from "#core/http/requestContexts.ts";
import { takeAllowance } from "#core/http/takeAllowance.ts";
import { targetOf } from "#core/http/testing/targetOf.ts";
import type { LimiterAnswer } from "#core/limiter/Limiter.ts";
import { silentLog } from "#core/log/silentLog.ts";

const context = (): RequestContext => ({
	requestId: "r",
	target: targetOf("/"),
	clientAddress: "203.0.113.7",
	headers: new Map(),
	fault: undefined,
	upgraded: false,
	keepOpen: () => {},
});

const refused: LimiterAnswer = {
	allowed: false,
	limit: 600,
	remaining: 0,
	resetMs: 41_377,
	retryAfterMs: 41_377,
};

async function refusal(answer: LimiterAnswer) {
	const about = context();
	const error = await takeAllowance({
		limiter: { take: async () => answer },
		context: about,
		log: silentLog,
	}).catch((thrown: unknown) => thrown);
	return {
		headers: Object.fromEntries(about.headers),
		fault: error === undefined ? undefined : faultOf(error),
	};
}

test("a refusal says who refused, how long, and the wait in seconds [SEC-02]", async () => {
	const { fault, headers } = await refusal(refused);
	expect(fault).toMatchObject({
		status: 429,
		code: "rate_limited",
		publicDetail: "Rate limit exceeded: retry in 42 seconds.",
		members: { provider: "svc", retryAfterMs: 41_377 },
	});
	expect(headers).toEqual({
		"ratelimit-limit": "600",
		"ratelimit-remaining": "0",
		"ratelimit-reset": "42",
	});
});

test("one second is one second", async () => {
	expect((await refusal({ ...refused, retryAfterMs: 3 })).fault?.publicDetail).toEndWith(
		"retry in 1 second.",
	);
});

test("an allowed request only gets the headers", async () => {
	const { fault, headers } = await refusal({
		allowed: true,
		limit: 600,
		remaining: 7,
		resetMs: 60_000,
		retryAfterMs: 0,
	});
	expect(fault).toBeUndefined();
	expect(headers["ratelimit-remaining"]).toBe("7");
});

test("the client's address is the key", async () => {
	const keys: string[] = [];
	const limiter = {
		take: async (key: string) => {
			keys.push(key);
			return { ...refused, allowed: true };
		},
	};
	await takeAllowance({ limiter, context: context(), log: silentLog });
	expect(keys).toEqual(["203.0.113.7"]);
});

// Guarantee: losing the limiter's store costs the limit, not the service.
test("a limiter that fails lets the request pass and says so in the log", async () => {
	const warnings: string[] = [];
	const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
	await takeAllowance({
		limiter: { take: () => Promise.reject(new Error("away")) },
		context: context(),
		log,
	});
	expect(warnings).toHaveLength(1);
});
