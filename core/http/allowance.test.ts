import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createBoundedMap, grantAllowance, takeAllowance } from "#core/http/allowance.ts";
import { faultOf } from "#core/http/faults.ts";
import type { RequestContext } from "#core/http/requests.ts";
import { targetOf } from "#core/http/testing/targetOf.ts";
import type { LimiterAnswer } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";

describe("createBoundedMap", () => {
	test("the oldest value is dropped first, by number and by weight", () => {
		const map = createBoundedMap<string>({ countMax: 3, bytesMax: 10 });
		for (const key of ["a", "b", "c", "d"]) map.set(key, key);
		expect(["a", "b", "c", "d"].map(map.get)).toEqual([undefined, "b", "c", "d"]);
		map.weigh("b", "b", 6);
		map.weigh("d", "d", 4);
		expect(map.get("b")).toBe("b");
		map.weigh("c", "c", 1);
		expect(["b", "c", "d"].map(map.get)).toEqual([undefined, "c", "d"]);
	});

	test("a value that alone is too heavy is not held, and a replaced one weighs nothing", () => {
		const map = createBoundedMap<string>({ countMax: 3, bytesMax: 10 });
		map.set("a", "old");
		map.set("a", "new");
		map.weigh("a", "old", 9);
		map.set("b", "b");
		map.weigh("b", "b", 10);
		expect([map.get("a"), map.get("b")]).toEqual(["new", "b"]);
		map.weigh("b", "b", 11);
		expect(map.get("b")).toBeUndefined();
	});

	test("never holds more than it may, whatever is done to it", () => {
		const key = fc.constantFrom("a", "b", "c", "d", "e");
		const deed = fc.tuple(key, fc.option(fc.nat(12)));
		fc.assert(
			fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
				const map = createBoundedMap<object>({ countMax: 3, bytesMax: 20 });
				const weighed = new Map<object, number>();
				for (const [at, bytes] of deeds) {
					const value = map.get(at);
					if (bytes === null || !value) map.set(at, {});
					else {
						weighed.set(value, bytes);
						map.weigh(at, value, bytes);
					}
					const held = ["a", "b", "c", "d", "e"].flatMap((one) => map.get(one) ?? []);
					const together = held.reduce((sum, one) => sum + (weighed.get(one) ?? 0), 0);
					expect(held.length).toBeLessThanOrEqual(3);
					expect(together).toBeLessThanOrEqual(20);
				}
			}),
		);
	});
});

describe("grantAllowance", () => {
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
});

describe("takeAllowance", () => {
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
});
