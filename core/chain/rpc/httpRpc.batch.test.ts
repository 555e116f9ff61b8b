import { afterEach, beforeEach, expect, test } from "bun:test";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import {
	answering,
	type FakeCall,
	type FakeNode,
	fakeNode,
} from "#core/chain/rpc/testing/fakeNode.ts";

let node: FakeNode;
beforeEach(() => {
	node = fakeNode();
});
afterEach(() => node.stop());

const rpcTo = (url: string, seen: string[] = []) =>
	httpRpc({
		url,
		timeoutMs: 10_000,
		batchMax: 100,
		concurrencyMax: 4,
		bodyBytesMax: 100_000,
		observer: { began: () => (outcome) => void seen.push(outcome) },
	});
const numbered = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ method: "m", params: [index] }));
const sizes = () => node.requests.map((body) => (Array.isArray(body) ? body.length : "alone"));
const honest = answering(({ params }) => params[0]);

/** Refuses more than this many calls in the words of one kind of node. */
function allowing(callsMax: number, refuse: () => Response) {
	return (body: FakeCall | FakeCall[]) =>
		Array.isArray(body) && body.length > callsMax ? refuse() : honest(body);
}

const refusals: Record<string, () => Response> = {
	"one error for all": () =>
		Response.json({ id: null, error: { code: -32_000, message: "batch limit 10 exceeded" } }),
	"one error in a list": () =>
		Response.json([{ id: 1, error: { code: -32_600, message: "batch too large" } }]),
	"an error behind a 500": () =>
		Response.json(
			{ error: { code: 31, message: "Batch of more than 3 requests are not allowed" } },
			{ status: 500 },
		),
	"a 413 without a word": () => new Response(null, { status: 413 }),
};
for (const [what, refuse] of Object.entries(refusals)) {
	test(`[ING-14] a batch refused by ${what} is halved until it passes, and stays that small`, async () => {
		node.answer = allowing(10, refuse);
		const rpc = rpcTo(node.url);
		expect(await rpc.batch(numbered(40))).toEqual(numbered(40).map((_, index) => index));
		expect(sizes()).toContain(40);
		expect(sizes()).toContain(20);
		node.requests.length = 0;
		expect(await rpc.settle(numbered(40))).toHaveLength(40);
		expect(sizes()).toEqual([10, 10, 10, 10]);
	});
}

test("[ING-14] where no batch is allowed each call goes alone, and not as a list of one", async () => {
	node.answer = (body) =>
		Array.isArray(body) ? new Response(null, { status: 413 }) : honest(body);
	expect(await rpcTo(node.url).batch(numbered(5))).toEqual([0, 1, 2, 3, 4]);
	expect(sizes().filter((size) => size === "alone")).toHaveLength(5);
});

test("a contract that mentions batches in its revert makes no batch smaller", async () => {
	node.answer = (body) =>
		Response.json(
			[body].flat().map(({ id }) => ({
				id,
				error: { code: -32_000, message: "nope: batch too large" },
			})),
		);
	const rpc = rpcTo(node.url);
	await rpc.batch(numbered(4)).catch(() => {});
	expect(sizes()).toEqual([4]);
	node.requests.length = 0;
	const outcomes = await rpc.settle(numbered(4));
	expect(outcomes.map(({ kind }) => kind)).toEqual(["fault", "fault", "fault", "fault"]);
	expect(sizes()).toEqual([4]);
});

test("[ING-14] calls that must stand in order are answered in order, however small batches are", async () => {
	const answered: unknown[] = [];
	node.answer = (body) => {
		if (Array.isArray(body)) return new Response(null, { status: 413 });
		answered.push(body.params[0]);
		return honest(body);
	};
	let underWay = 0;
	let underWayMax = 0;
	const observer = {
		began() {
			underWayMax = Math.max(underWayMax, ++underWay);
			return () => void underWay--;
		},
	};
	const limits = { timeoutMs: 10_000, batchMax: 100, concurrencyMax: 4, bodyBytesMax: 100_000 };
	const rpc = httpRpc({ url: node.url, ...limits, observer });
	await rpc.batch(numbered(8), { inOrder: true });
	await rpc.batch(numbered(8), { inOrder: true });
	expect(answered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
	expect(underWayMax).toBe(1);
});

test("a batch that is cut after its first calls is halved; one with holes teaches nothing", async () => {
	node.answer = (body) => honest(Array.isArray(body) ? body.slice(0, 20) : body);
	const rpc = rpcTo(node.url);
	expect(await rpc.batch(numbered(60))).toEqual(numbered(60).map((_, index) => index));
	node.requests.length = 0;
	expect(await rpc.settle(numbered(60))).toHaveLength(60);
	expect(Math.max(...sizes().map(Number))).toBeLessThanOrEqual(20);
	node.answer = (body) => honest(Array.isArray(body) ? body.slice(1) : body);
	node.requests.length = 0;
	const failed = await rpc.batch(numbered(4)).catch((error) => error);
	expect(failed).toMatchObject({ code: "rpc_transport", meta: {} });
	expect(sizes()).toEqual([4]);
});

test("[ING-14] the retry time of a 429 or 503 is passed on, that of others is ignored", async () => {
	const failure = (status: number) => {
		node.answer = () => new Response("later", { status, headers: { "retry-after": "7" } });
		return rpcTo(node.url)
			.call({ method: "m", params: [] })
			.catch((error) => error.meta);
	};
	expect(await failure(429)).toEqual({ retryAfterMs: 7_000, rateLimited: true });
	expect(await failure(503)).toEqual({ retryAfterMs: 7_000 });
	expect(await failure(502)).toEqual({});
});

test("[ING-08] the number of blocks that a provider allows is passed on with its refusal", async () => {
	node.answer = (body) => {
		const message = "eth_getLogs is limited to a 10,000 range";
		return Response.json({ id: [body].flat()[0]?.id, error: { code: -32_614, message } });
	};
	const failed = await rpcTo(node.url)
		.call({ method: "eth_getLogs", params: [] })
		.catch((error) => error);
	expect(failed).toMatchObject({ code: "rpc_range", meta: { rangeBlocksMax: 10_000 } });
	node.answer = (body) => {
		const data = "requested block range 999 exceeds the limit of 200";
		return Response.json({
			id: [body].flat()[0]?.id,
			error: { code: -32_602, message: "Invalid params", data },
		});
	};
	const ronin = await rpcTo(node.url)
		.batch([{ method: "eth_getLogs", params: [] }])
		.catch((error) => error);
	expect(ronin).toMatchObject({ code: "rpc_range", meta: { rangeBlocksMax: 200 } });
});

test("each request's end is reported, with its outcome", async () => {
	const seen: string[] = [];
	const rpc = rpcTo(node.url, seen);
	const call = { method: "m", params: [] };
	await rpc.call(call);
	node.answer = () => new Response("away", { status: 503 });
	await rpc.call(call).catch(() => {});
	node.answer = () => Response.json({ id: null, error: { code: -32_000, message: "no" } });
	await rpc.call(call).catch(() => {});
	const stopping = new AbortController();
	stopping.abort();
	await rpc.call(call, { signal: stopping.signal }).catch(() => {});
	expect(seen).toEqual(["ok", "transport", "refused", "aborted"]);
});
