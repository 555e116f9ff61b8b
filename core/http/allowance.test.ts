import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import {
	COSTLY_IN_PROCESS_MAX,
	COSTLY_OF_CALLER_MAX,
	createBoundedMap,
	createSlots,
	grantAllowance,
	takeAllowance,
	untilEnd,
} from "#core/http/allowance.ts";
import { faultOf } from "#core/http/faults.ts";
import type { RequestContext } from "#core/http/requests.ts";
import { takesSlot } from "#core/http/routeMarks.ts";
import { targetOf } from "#core/http/testing/targetOf.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import type { LimiterAnswer } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";

describe("allowance", () => {
	describe("createBoundedMap", () => {
		test("the oldest value is dropped first, at the limit of number and of weight", () => {
			const map = createBoundedMap<string>({ countMax: 3, bytesMax: 10 });
			for (const key of ["a", "b", "c", "d"]) map.set(key, key);
			expect(["a", "b", "c", "d"].map(map.get)).toEqual([undefined, "b", "c", "d"]);
			map.weigh("b", "b", 6);
			map.weigh("d", "d", 4);
			expect(map.get("b")).toBe("b");
			map.weigh("c", "c", 1);
			expect(["b", "c", "d"].map(map.get)).toEqual([undefined, "c", "d"]);
		});

		test("a value that is too heavy alone is not stored, and a replaced one has no weight", () => {
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

		test("the map never holds more than its limits, whatever is done to it", () => {
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

		test("an allowed request gets its limit headers, with the window's end rounded up to a second", () => {
			const headers = new Map<string, string>();
			grantAllowance(taken, headers);
			expect(Object.fromEntries(headers)).toEqual({
				"ratelimit-limit": "600",
				"ratelimit-remaining": "7",
				"ratelimit-reset": "42",
			});
		});

		test("[SEC-02] a refused request gets the limit headers too, and a 429 with its wait", () => {
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
			isPublic: false,
			isForeign: false,
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

		test("a refusal names who refused, and the wait in seconds [SEC-02]", async () => {
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

		test("a wait of a second is written in the singular", async () => {
			expect((await refusal({ ...refused, retryAfterMs: 3 })).fault?.publicDetail).toEndWith(
				"retry in 1 second.",
			);
		});

		test("an allowed request gets only the headers", async () => {
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

		test("clients are limited by their address", async () => {
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
});

describe("createSlots", () => {
	describe("createSlots", () => {
		test("simultaneous requests are limited per caller and per process", () => {
			const slots = createSlots({ processMax: 5, callerMax: 3 });
			const held = [1, 2, 3].map(() => slots.take("a"));
			expect(() => slots.take("a")).toThrow("under way");
			held.push(slots.take("b"), slots.take("c"));
			expect(() => slots.take("d")).toThrow("unavailable");
			held[0]?.();
			// Given back once, however often it is said.
			held[0]?.();
			held.push(slots.take("d"));
			expect(() => slots.take("e")).toThrow("unavailable");
			for (const release of held) release();
			for (let times = 0; times < 5; times++) slots.take(`f${times}`);
			expect(() => slots.take("g")).toThrow("unavailable");
		});

		test("a stream's slot is free after it ended, failed, or lost its reader", async () => {
			const ends: string[] = [];
			const bytes = new Uint8Array([1]);
			const whole = new ReadableStream<Uint8Array>({
				start(controller) {
					controller.enqueue(bytes);
					controller.close();
				},
			});
			expect(await new Response(untilEnd(whole, () => ends.push("ended"))).arrayBuffer()).toEqual(
				bytes.buffer,
			);
			const broken = new ReadableStream<Uint8Array>({ pull: (to) => to.error(new Error("no")) });
			await expect(
				new Response(untilEnd(broken, () => ends.push("failed"))).text(),
			).rejects.toThrow();
			const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(bytes) });
			await untilEnd(endless, () => ends.push("left")).cancel();
			expect(ends).toEqual(["ended", "failed", "left"]);
		});
	});

	test("a request beyond the limit is refused before any work, and other routes still answer", async () => {
		const finish = Promise.withResolvers<void>();
		let ran = 0;
		const routes = new Elysia()
			.post(
				"/v1/costly",
				async () => {
					ran++;
					await finish.promise;
					return { done: true };
				},
				{ detail: { tags: ["costly"], ...takesSlot() } },
			)
			.get("/v1/cheap", () => ({ done: true }));
		const app = testHttpApp({ routes: [routes] });
		const ask = (path: string, address: string, method = "GET") =>
			app.handle(
				new Request(`http://localhost${path}`, { method, headers: { "x-forwarded-for": address } }),
			);
		const asked = Array.from({ length: COSTLY_OF_CALLER_MAX + 40 }, () =>
			ask("/v1/costly", "10.0.0.1", "POST"),
		);
		const refused = await Promise.all(asked.slice(COSTLY_OF_CALLER_MAX));
		expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
		expect(refused[0]?.headers.get("retry-after")).toBe("1");
		expect(ran).toBe(COSTLY_OF_CALLER_MAX);
		const others = Array.from({ length: COSTLY_IN_PROCESS_MAX }, (_, index) =>
			ask("/v1/costly", `10.1.0.${index}`, "POST"),
		);
		const full = await Promise.all(others.slice(COSTLY_IN_PROCESS_MAX - COSTLY_OF_CALLER_MAX));
		expect(new Set(full.map(({ status }) => status))).toEqual(new Set([503]));
		expect(ran).toBe(COSTLY_IN_PROCESS_MAX);
		expect((await ask("/v1/cheap", "10.0.0.1")).status).toBe(200);
		finish.resolve();
		expect((await Promise.all(asked.slice(0, COSTLY_OF_CALLER_MAX))).every(({ ok }) => ok)).toBe(
			true,
		);
		expect((await ask("/v1/costly", "10.0.0.1", "POST")).status).toBe(200);
	});
});
