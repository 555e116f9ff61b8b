import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHostedRouter } from "#plugins/trading/quotes/createHostedRouter.ts";
import { hostedAnswer, readHosted } from "#plugins/trading/quotes/hostedAnswer.ts";
import type { SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";
import {
	hostedAsk,
	hostedCases,
	hostedGround,
	hostedJson,
	hostedPools,
} from "#plugins/trading/testing/hostedFixture.ts";
import { mutantsOfSchema } from "#test/harness/mutantsOf.ts";

// Guarantee: of a hosted router's answer only what agrees with the request, with itself and with
// the pools' addresses is used, and only a route through configured pools is executed.

const read = (json: unknown, ask = hostedAsk) => {
	const parsed = hostedAnswer.safeParse(json);
	return parsed.success ? readHosted(parsed.data, { ask, ...hostedGround }) : "schema";
};

describe("an answer", () => {
	test("a valid answer becomes a route through configured pools", () => {
		expect(read(hostedJson())).toMatchObject({
			hops: [
				{ pool: hostedPools[0]?.address, fee: 500 },
				{ pool: hostedPools[1]?.address, fee: 3_000 },
			],
			...{ inRaw: 50_000_000n, outRaw: 123_456_789_012_345_678n, blockNumber: null },
			...{ requestId: "34784ef4-065a-4fa2-b77c-521f785fc068", detail: { permitData: null } },
		});
	});

	test("an answer's minimum amount is the one of the slippage, rounded either way", () => {
		const least = (minAmount: string) => {
			const { quote, ...rest } = hostedJson(1_999_890n);
			const aggregatedOutputs = quote.aggregatedOutputs.map((one) => ({ ...one, minAmount }));
			return read({ ...rest, quote: { ...quote, aggregatedOutputs } });
		};
		for (const fits of ["1989890", "1989940", "1999890"]) expect(least(fits)).toBeObject();
		for (const off of ["0", "1", "1989889", "1999891"]) expect(least(off)).toBe("outputs");
	});

	const spoiled = hostedCases().map((one) => ({
		...one,
		...mutantsOfSchema(hostedAnswer, one.json),
	}));

	test("the changed answers cover each member that is read", () => {
		const has = new Set(spoiled.flatMap((one) => [...one.has]));
		const lacks = new Set(spoiled.flatMap((one) => [...one.lacks]));
		expect([...lacks].filter((path) => !has.has(path))).toEqual([]);
	});

	for (const { name, ask, json, isRoute, read: seen, mutants } of spoiled) {
		test(`an answer over ${name} is ${isRoute ? "executed" : "compared"}, whatever its other members are`, () => {
			for (const answer of [json, seen]) {
				const route = read(answer, ask);
				expect(typeof route === "string" ? route : route.hops !== null).toBe(isRoute);
			}
		});

		for (const { path, how, value } of mutants) {
			test(`an answer over ${name} with another ${path} (${how}) is refused, or gives the same route`, () => {
				const route = read(value, ask);
				if (typeof route === "string") return;
				// The ways of a split in another order, and a permit that is left out in place of null.
				const isLeftOut = path === "permitData" && how === "left out";
				expect(isLeftOut ? "quote.route" : path).toBe("quote.route");
				expect(route).toEqual(read(json, ask) as SourceRoute);
			});
		}
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
			factory: hostedGround.factory,
			budget: {
				take: async () => ({ granted, remaining: 1, retryAfterMs: 0 }),
				pause: async (_, forMs) => void paused.push(forMs),
			},
		});
	const never = new AbortController().signal;

	test("the router is called once, for this swap alone, without off-chain orders and without a permit", async () => {
		const route = await router().ask(hostedAsk, never);
		expect(route.outRaw).toBe(123_456_789_012_345_678n);
		expect(asked).toHaveLength(1);
		expect(asked[0]?.path).toBe("/v1/quote");
		expect(asked[0]?.headers.get("x-api-key")).toBe("secret");
		expect(asked[0]?.headers.get("x-universal-router-version")).toBe("2.1.1");
		expect(asked[0]?.headers.get("x-permit2-disabled")).toBe("true");
		expect(asked[0]?.body).toEqual({
			...{ type: "EXACT_INPUT", amount: "50000000", tokenInChainId: 4663, tokenOutChainId: 4663 },
			...{ tokenIn: hostedAsk.tokenIn, tokenOut: hostedAsk.tokenOut, swapper: hostedAsk.taker },
			...{ slippageTolerance: 0.5, routingPreference: "BEST_PRICE" },
			protocols: ["V2", "V3", "V4"],
		});
	});

	test("the coin is sent as the zero address", async () => {
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
		["a permit to sign", () => Response.json(withPermit()), "router_unreadable"],
		["a body without end", () => endless(), "router_unreadable"],
		["an error of theirs", () => new Response(null, { status: 502 }), "router_unavailable"],
		["no route", () => new Response(null, { status: 404 }), "router_refused"],
		[
			"a key that it does not take",
			() => new Response(null, { status: 401 }),
			"router_unavailable",
		],
		[
			"a request that it does not take",
			() => Response.json({}, { status: 400 }),
			"router_unavailable",
		],
		["another place", () => Response.redirect("http://127.0.0.1:1/x"), "router_unavailable"],
		["a limit", () => new Response(null, { status: 429 }), "router_busy"],
	] as const)("%s counts as no quote, with its code", async (_, made, code) => {
		answer = made;
		expect(router().ask(hostedAsk, never)).rejects.toMatchObject({ code });
	});

	test("an answer with a null or missing permit is used", async () => {
		const { permitData, ...without } = hostedJson();
		for (const json of [{ ...without, permitData }, without]) {
			answer = () => Response.json(json);
			expect(await router().ask(hostedAsk, never)).toMatchObject({ detail: { permitData: null } });
		}
	});

	test("a rate limit pauses all processes for the returned time", async () => {
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

function withPermit() {
	const values = { details: { token: hostedAsk.tokenIn, amount: "50000000" }, spender: "0x66" };
	return { ...hostedJson(), permitData: { domain: { name: "Permit2" }, values } };
}

function endless(): Response {
	const chunk = new Uint8Array(65_536).fill(32);
	return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }));
}
