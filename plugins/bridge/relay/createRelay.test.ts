import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import { createMetrics } from "#core/metrics.ts";
import { createRelay } from "#plugins/bridge/relay/createRelay.ts";
import { BODY_BYTES_MAX } from "#plugins/bridge/relay/createRelayClient.ts";

// Guarantee: whatever the bridge provider answers is read whole or not at all, within its limits.

type Seen = { call: string; key: string | null; body: string };
const seen: Seen[] = [];
let answer: (request: Request) => Response | Promise<Response> = () => Response.json({});
const server = Bun.serve({
	...{ hostname: "127.0.0.1", port: 0 },
	async fetch(request) {
		const { pathname, search } = new URL(request.url);
		const call = `${request.method} ${pathname}${search}`;
		seen.push({ call, key: request.headers.get("x-api-key"), body: await request.text() });
		return answer(request);
	},
});
afterAll(() => server.stop(true));

const taken: { name: string; terms: object }[] = [];
const paused: { name: string; forMs: number }[] = [];
let isGranted = true;
const budget = {
	async take(name: string, terms: object) {
		taken.push({ name, terms });
		return { granted: isGranted, remaining: 0, retryAfterMs: isGranted ? 0 : 4_000 };
	},
	async pause(name: string, forMs: number) {
		paused.push({ name, forMs });
	},
};
const open = (apiKey?: string, timeoutMs = 5_000) =>
	createRelay({
		core: { budget, metrics: createMetrics() },
		baseUrl: server.url.href.replace(/\/$/, ""),
		...{ apiKey, timeoutMs, ending: new AbortController().signal },
	});
const options = { purpose: "poll", signal: new AbortController().signal } as const;
const ID = `0x${"ab".repeat(32)}` as const;
const HASH = `0x${"cd".repeat(32)}` as const;

beforeEach(() => {
	for (const list of [seen, taken, paused]) list.length = 0;
	isGranted = true;
});

async function refusal(work: Promise<unknown>): Promise<string> {
	const error = await work.then(
		() => null,
		(thrown) => thrown,
	);
	return error instanceof Fault ? `${error.status} ${error.code}` : String(error);
}

test("the key is sent with each call, and no header without a key", async () => {
	answer = () => Response.json({ status: "pending" });
	await open("secret").status(ID, options);
	await open().status(ID, options);
	expect(seen.map(({ call, key }) => [call, key])).toEqual([
		[`GET /intents/status/v3?requestId=${ID}`, "secret"],
		[`GET /intents/status/v3?requestId=${ID}`, null],
	]);
});

describe("a status", () => {
	test("a status may be any text, and keeps only valid hashes", async () => {
		answer = () =>
			Response.json({
				status: "teleporting",
				inTxHashes: [HASH, "0x1"],
				txHashes: null,
				updatedAt: 7,
			});
		expect(await open().status(ID, options)).toEqual({
			...{ kind: "seen", status: "teleporting", depositHashes: [HASH], outHashes: [] },
			...{ updatedAtMs: 7, failReason: null },
		});
	});

	test("the status of a request that the provider does not know is `unseen`, not an error", async () => {
		answer = () => Response.json({ message: "not found" }, { status: 404 });
		expect(await open().status(ID, options)).toEqual({ kind: "unseen" });
	});

	for (const [what, said, code] of [
		["a page", () => new Response("<html>"), "502 bridge_provider_unreadable"],
		["no status", () => Response.json({}), "502 bridge_provider_unreadable"],
		["a number for one", () => Response.json({ status: 7 }), "502 bridge_provider_unreadable"],
		[
			"a flood",
			() => new Response(" ".repeat(BODY_BYTES_MAX + 1)),
			"502 bridge_provider_unreadable",
		],
		["a failure", () => new Response("", { status: 500 }), "503 bridge_provider_unavailable"],
		[
			"a no",
			() => Response.json({ errorCode: "X" }, { status: 400 }),
			"502 bridge_provider_refused",
		],
		[
			"another place",
			() => Response.redirect("http://127.0.0.1:1/"),
			"503 bridge_provider_unavailable",
		],
	] as const) {
		test(`a status is not read from ${what}`, async () => {
			answer = said;
			expect(await refusal(open().status(ID, options))).toBe(code);
		});
	}

	test("a status is waited for only until its time limit", async () => {
		answer = () => new Promise(() => {});
		expect(await refusal(open(undefined, 50).status(ID, options))).toBe(
			"503 bridge_provider_unavailable",
		);
	});
});

describe("the published limits", () => {
	test("the published limits are respected: a call beyond them is not sent", async () => {
		isGranted = false;
		expect(await refusal(open().status(ID, options))).toBe("429 rate_limited");
		expect(seen).toEqual([]);
		expect(taken[0]?.terms).toMatchObject({ perWindow: 200, windowMs: 60_000 });
	});

	test("with a key other published limits apply, for each class of calls", async () => {
		answer = () => Response.json({ requests: [] });
		await open("secret").search({ depositHash: HASH }, options);
		await open().search({ orderId: ID }, options);
		expect(taken.map(({ terms }) => terms)).toMatchObject([
			{ perWindow: 10, windowMs: 1_000 },
			{ perWindow: 200, windowMs: 60_000 },
		]);
		expect(new Set(taken.map(({ name }) => name)).size).toBe(2);
		expect(seen[0]?.call).toBe(`GET /requests/v3?depositTxHash=${HASH}&limit=1`);
	});

	test("after a 429 no process calls for the returned time", async () => {
		answer = () => new Response("{}", { status: 429, headers: { "retry-after": "7" } });
		expect(await refusal(open().status(ID, options))).toBe("429 rate_limited");
		expect(paused).toMatchObject([{ forMs: 7_000 }]);
	});
});

test("chains that are not EVM chains are read as such, and invalid rows left out", async () => {
	const chain = {
		...{ id: 8_453, name: "base", displayName: "Base", vmType: "evm", depositEnabled: true },
		...{ disabled: false, blockProductionLagging: false, solverAddresses: ["bc1q", ZERO_ADDRESS] },
		currency: { address: ZERO_ADDRESS, symbol: "ETH", decimals: 18 },
		protocol: { v2: { chainId: "base", depository: `0x${"4C".repeat(20)}` } },
	};
	const bitcoin = { ...chain, id: 8_253_038, vmType: "bvm", protocol: null };
	answer = () =>
		Response.json({ chains: [chain, bitcoin, { id: "x" }, { ...chain, disabled: true }] });
	const chains = await open().chains(options);
	expect(chains).toMatchObject([
		{
			...{ id: 8_453, isEvm: true, isDisabled: false, solverAddresses: [ZERO_ADDRESS] },
			protocol: { name: "base", depository: `0x${"4c".repeat(20)}` },
		},
		{ isEvm: false, protocol: null },
		{ isDisabled: true },
	]);
});

test("a quote request always names the refund address, and asks for a checkable form", async () => {
	answer = () => Response.json({ message: "no", errorCode: "AMOUNT_TOO_LOW" }, { status: 400 });
	const [user, recipient, refundTo] = ["a", "b", "c"].map((one) => `0x${one.repeat(40)}` as const);
	const work = open("secret").quote(
		{
			...{ user: user!, recipient: recipient!, refundTo: refundTo!, amountRaw: 2n ** 70n },
			...{ originChainId: 1, destinationChainId: 2, usePermit: false },
			...{ originCurrency: ZERO_ADDRESS, destinationCurrency: ZERO_ADDRESS },
		},
		{ ...options, purpose: "trade" },
	);
	expect(await refusal(work)).toBe("502 bridge_provider_refused");
	expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
		...{ user, recipient, refundTo, originChainId: 1, destinationChainId: 2 },
		...{ originCurrency: ZERO_ADDRESS, destinationCurrency: ZERO_ADDRESS },
		...{ amount: "1180591620717411303424", tradeType: "EXACT_INPUT", explicitDeposit: true },
		...{ includeProtocolData: true, usePermit: false, useDepositAddress: false },
		disableOriginSwaps: true,
	});
});
