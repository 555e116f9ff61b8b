import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import {
	COSTLY_IN_PROCESS_MAX,
	COSTLY_OF_CALLER_MAX,
	createSlots,
	untilEnd,
} from "#core/http/createSlots.ts";
import { takesSlot } from "#core/http/routeMarks.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

describe("createSlots", () => {
	test("a caller has so many under way, and the process so many of all callers", () => {
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

	test("a stream's slot is free once it ended, failed, or lost its reader", async () => {
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

test("what is too much at once is refused before any work, other routes go on, and it ends", async () => {
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
