import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { streamRoutes } from "#plugins/streams/routes.ts";
import { createAnswerCheck, createFrameCheck, documentsOf } from "#test/harness/documentChecks.ts";

describe("createAnswerCheck", () => {
	// Guarantee: the check of the tests' answers can fail.

	const cat = z
		.object({ name: field.text("Its name.", "Ada"), seenAt: field.time("When.").nullable() })
		.meta({ id: "Cat", description: "A cat." });
	const routes = new Elysia().get("/v1/cats/:id", () => ({ name: "", seenAt: null }), {
		response: { 200: cat },
		detail: { operationId: "getCat" },
	});
	const check = createAnswerCheck(documentsOf([routes]).openApi);
	const answered = (status: number, body: unknown, contentType = "application/json") =>
		check({ method: "GET", path: "/v1/cats/7?x=1", status, contentType, body });
	const problem = {
		type: "/problems/rate_limited",
		title: "Too Many Requests",
		status: 429,
		detail: "Wait.",
		code: "rate_limited",
		message: "Wait.",
		requestId: "r",
	};

	test("an answer as documented passes, also a refusal with members of its own", () => {
		expect(answered(200, { name: "Ada", seenAt: null })).toBeUndefined();
		expect(answered(200, { name: "Ada", seenAt: "2026-03-01T12:00:00.000Z" })).toBeUndefined();
		expect(answered(429, { ...problem, more: 1 }, "application/problem+json")).toBeUndefined();
	});

	test("an additional or missing member, a wrong format, status, type or code is found", () => {
		expect(answered(200, { name: "Ada", seenAt: null, age: 3 })).toContain("age");
		expect(answered(200, { name: "Ada" })).toContain("seenAt");
		expect(answered(200, { name: "Ada", seenAt: "yesterday" })).toContain("date-time");
		expect(answered(418, {})).toContain("does not name");
		expect(answered(200, "", "text/plain")).toContain("not documented");
		const other = { ...problem, code: "other_code" };
		expect(answered(429, other, "application/problem+json")).toContain("/code");
	});

	test("an address that the document lacks is not checked", () => {
		const unknown = { method: "GET", path: "/pages/1", status: 418, contentType: null, body: null };
		expect(check(unknown)).toBeUndefined();
	});
});

describe("createFrameCheck", () => {
	// Guarantee: the check of the tests' frames can fail.

	const { asyncApi } = documentsOf([streamRoutes({} as never)]);
	const check = createFrameCheck(asyncApi);
	const COLLECTION = "/v1/nft-market/collections/cats/stream?chain=anvil";
	const DISCOVER = "/v1/nft-market/discover/stream";
	const example = (type: string): any => {
		const message: any = asyncApi.components.messages[type];
		return message.examples[0].payload;
	};

	test("the example of every frame is accepted, on the streams that send it", () => {
		for (const type of ["hello", "ping", "snapshot_required", "pong", "error"]) {
			expect([type, check(COLLECTION, example(type))]).toEqual([type, undefined]);
			expect([type, check(DISCOVER, example(type))]).toEqual([type, undefined]);
		}
		for (const type of ["market_event", "floor_update", "candle_update"]) {
			expect([type, check(COLLECTION, example(type))]).toEqual([type, undefined]);
			expect(check(DISCOVER, example(type))).toContain("does not say that it sends");
		}
		expect(check(DISCOVER, example("discover_row"))).toBeUndefined();
	});

	test("an unknown type, reason or member is found, and so is a missing one", () => {
		expect(check(COLLECTION, { ...example("ping"), type: "pling" })).toContain("pling");
		const snapshot = example("snapshot_required");
		expect(check(COLLECTION, { ...snapshot, data: { reason: "whim" } })).toContain("/data/reason");
		const floor = example("floor_update");
		expect(check(COLLECTION, { ...floor, data: { ...floor.data, mood: 1 } })).toContain("mood");
		const { observedAt: _, ...rest } = floor.data;
		expect(check(COLLECTION, { ...floor, data: rest })).toContain("observedAt");
		expect(check("/v1/elsewhere/stream", floor)).toContain("no channel");
	});
});
