import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHostedRouter } from "#plugins/trading/quotes/createHostedRouter.ts";
import { hostedAnswer, readHosted } from "#plugins/trading/quotes/hostedAnswer.ts";
import { hostedAsk, hostedJson, hostedPools } from "#plugins/trading/testing/hostedFixture.ts";
import { leavesOf, mutantsOf } from "#test/harness/mutantsOf.ts";

// Guarantee: no part of a hosted router's answer is executed if it contradicts the request, or uses
// a pool that is not configured here.

/** Members that are only recorded: ids, the block, and the permit to sign. */
const RECORDED = /^(requestId|quote\.quoteId|quote\.blockNumber|permitData)(\.|$)/;
/** Members that our schema ignores. */
const UNREAD = /(symbol|decimals|liquidity|tickCurrent)$/;

const read = (json: unknown) => {
	const parsed = hostedAnswer.safeParse(json);
	return parsed.success
		? readHosted(parsed.data, { ask: hostedAsk, pools: hostedPools })
		: "schema";
};

describe("an answer", () => {
	test("that fits is a route through configured pools", () => {
		expect(read(hostedJson())).toMatchObject({
			hops: [
				{ pool: hostedPools[0]?.address, fee: 500 },
				{ pool: hostedPools[1]?.address, fee: 3_000 },
			],
			...{ inRaw: 50_000_000n, outRaw: 123_456_789_012_345_678n, blockNumber: 1_234_567n },
			requestId: "req-7f0c",
		});
	});

	test("the mutants cover every member that is read", () => {
		const known = leavesOf(hostedJson());
		for (const path of ["quote.output.recipient", "quote.route[][].tokenIn.chainId"]) {
			expect(known).toContain(path);
		}
	});

	for (const { path, how, value } of mutantsOf(hostedJson())) {
		if (UNREAD.test(path)) continue;
		test(`with another ${path} (${how}) is not executed`, () => {
			const route = read(value);
			if (typeof route === "string") return;
			// Routes over unknown pools are only compared.
			if (route.hops === null) return expect(path).toContain("quote.route");
			// A change without effect: the fee as a number, or a member that is only recorded.
			expect(path).toMatch(RECORDED);
			const { hops, inRaw, outRaw } = route;
			expect(read(hostedJson())).toMatchObject({ hops, inRaw, outRaw });
		});
	}
});

describe("the router over a real socket", () => {
	const asked: { path: string; headers: Headers; body: any }[] = [];
	let answer: () => Response | Promise<Response> = () => Response.json(hostedJson());
	let server: ReturnType<typeof Bun.serve>;
	beforeAll(() => {
		server = Bun.serve({
			port: 0,
			async fetch(request) {
				const { pathname: path } = new URL(request.url);
				asked.push({ path, headers: request.headers, body: await request.json() });
				return await answer();
			},
		});
	});
	afterAll(() => server.stop(true));

	const paused: number[] = [];
	let granted = true;
	const router = () =>
		createHostedRouter({
			baseUrl: `http://127.0.0.1:${server.port}/v1`,
			...{ apiKey: "secret", callsPerSecond: 5, slippageBps: 50, pools: () => hostedPools },
			budget: {
				take: async () => ({ granted, remaining: 1, retryAfterMs: 0 }),
				pause: async (_, forMs) => void paused.push(forMs),
			},
		});
	const never = new AbortController().signal;

	test("is asked once, for this swap alone, without off-chain orders, with an exact permit", async () => {
		const route = await router().ask(hostedAsk, never);
		expect(route.outRaw).toBe(123_456_789_012_345_678n);
		expect(asked).toHaveLength(1);
		expect(asked[0]?.path).toBe("/v1/quote");
		expect(asked[0]?.headers.get("x-api-key")).toBe("secret");
		expect(asked[0]?.headers.get("x-universal-router-version")).toBe("2.1.1");
		expect(asked[0]?.body).toEqual({
			...{ type: "EXACT_INPUT", amount: "50000000", tokenInChainId: 4663, tokenOutChainId: 4663 },
			...{ tokenIn: hostedAsk.tokenIn, tokenOut: hostedAsk.tokenOut, swapper: hostedAsk.taker },
			...{ slippageTolerance: 0.5, routingPreference: "BEST_PRICE", permitAmount: "EXACT" },
			protocols: ["V2", "V3", "V4"],
		});
	});

	test("the coin itself is the zero address", async () => {
		answer = () => new Response(null, { status: 404 });
		await router()
			.ask({ ...hostedAsk, isNativeIn: true, exact: "out" }, never)
			.catch(() => {});
		expect(asked.at(-1)?.body).toMatchObject({
			tokenIn: `0x${"0".repeat(40)}`,
			type: "EXACT_OUTPUT",
		});
	});

	test.each([
		["no JSON", () => new Response("<html>"), "router_unreadable"],
		["an empty object", () => Response.json({}), "router_unreadable"],
		["another chain", () => Response.json(withChain(1)), "router_unreadable"],
		["a body without end", () => endless(), "router_unreadable"],
		["an error of theirs", () => new Response(null, { status: 502 }), "router_unavailable"],
		["no route", () => new Response(null, { status: 404 }), "router_refused"],
		["another place", () => Response.redirect("http://127.0.0.1:1/x"), "router_unavailable"],
		["a limit", () => new Response(null, { status: 429 }), "router_busy"],
	] as const)("%s is a silent source, with its code", async (_, made, code) => {
		answer = made;
		expect(router().ask(hostedAsk, never)).rejects.toMatchObject({ code });
	});

	test("a rate limit pauses all processes for as long as the answer says", async () => {
		answer = () => new Response(null, { status: 429, headers: { "retry-after": "3" } });
		await router()
			.ask(hostedAsk, never)
			.catch(() => {});
		expect(paused.at(-1)).toBe(3_000);
		granted = false;
		const before = asked.length;
		expect(router().ask(hostedAsk, never)).rejects.toMatchObject({ code: "router_busy" });
		expect(asked).toHaveLength(before);
		granted = true;
	});
});

function withChain(chainId: number) {
	const json = hostedJson();
	return { ...json, quote: { ...json.quote, chainId } };
}

function endless(): Response {
	const chunk = new Uint8Array(65_536).fill(32);
	return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }));
}
