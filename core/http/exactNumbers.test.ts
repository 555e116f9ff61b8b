import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { z } from "zod";
import { exactNumbers } from "#core/http/exactNumbers.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const app = testHttpApp({
	routes: [
		new Elysia().post("/v1/money", ({ body }) => body, {
			parse: [exactNumbers("amount"), "json"],
			body: z.object({
				amount: z.string(),
				count: z.int().optional(),
				rows: z.array(z.object({ amount: z.string() })).optional(),
			}),
		}),
	],
});

async function post(body: string) {
	const headers = { "content-type": "application/json" };
	const response = await app.handle(
		new Request("http://localhost/v1/money", { method: "POST", headers, body }),
	);
	return { status: response.status, body: (await response.json()) as any };
}

describe("a number in a money body", () => {
	const texts = ["0.1", "0.10000000000000000001", "90000000000000000001", "1e18", "-0", "1E+2"];
	for (const text of [...texts, "9".repeat(78)]) {
		test(`${text} comes out as it was written`, async () => {
			expect(await post(`{ "amount": ${text} }`)).toEqual({ status: 200, body: { amount: text } });
		});
	}

	test("a string of the same digits is the same", async () => {
		expect((await post('{"amount":"0.05"}')).body).toEqual((await post('{"amount":0.05}')).body);
	});

	test("deeper members too, and nothing else than the named ones", async () => {
		const sent = '{"amount":1,"count":3,"rows":[{"amount":0.30}]}';
		expect((await post(sent)).body).toEqual({ amount: "1", count: 3, rows: [{ amount: "0.30" }] });
	});

	for (const bad of ["0x10", "１", "1,5", "01", "1.", ".5", "+1", "NaN", "Infinity", "1_0"]) {
		test(`${bad} is no JSON, and answered so`, async () => {
			const answer = await post(`{"amount":${bad}}`);
			expect({ status: answer.status, code: answer.body.code }).toEqual({
				status: 400,
				code: "malformed_body",
			});
		});
	}

	test("a body that is null, or no object, is refused as what it is", async () => {
		for (const text of ["null", "1", '"x"', "[]", "false"]) {
			expect({ text, status: (await post(text)).status }).toEqual({ text, status: 422 });
		}
	});

	test("every decimal of any length survives", async () => {
		const decimal = fc
			.tuple(fc.bigInt({ min: 0n, max: 10n ** 77n }), fc.stringMatching(/^[0-9]{1,60}$/))
			.map(([whole, fraction]) => `${whole}.${fraction}`);
		await fc.assert(
			fc.asyncProperty(decimal, async (text) => {
				expect((await post(`{"amount":${text}}`)).body.amount).toBe(text);
			}),
			{ numRuns: 100 },
		);
	});
});
