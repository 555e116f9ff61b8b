import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type HttpRpcOptions, httpRpc } from "#core/chain/rpc/httpRpc.ts";
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

function rpcTo(url: string, options: Partial<HttpRpcOptions> = {}) {
	const limits = { timeoutMs: 10_000, batchMax: 100, concurrencyMax: 4, bodyBytesMax: 100_000 };
	return httpRpc({ url, ...limits, ...options });
}

const call = { method: "eth_blockNumber", params: [] };
const numbered = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		method: "eth_getBlockByNumber",
		params: [index],
	}));
const list = (body: FakeCall | FakeCall[]) => (Array.isArray(body) ? body : [body]);
const failureOf = (promise: Promise<unknown>): Promise<{ code: string; message: string }> =>
	promise.then(
		() => ({ code: "", message: "it did not fail" }),
		(error) => error,
	);
/** Makes a body of unknown length. */
const inPieces = (pieces: readonly Uint8Array[]) =>
	new Response(
		new ReadableStream({
			start(controller) {
				for (const piece of pieces) controller.enqueue(piece);
				controller.close();
			},
		}),
	);
const code = (promise: Promise<unknown>) =>
	promise.then(
		(value) => ({ answered: value }),
		(error) => error.code,
	);

describe("answers", () => {
	test("a batch answered in another order comes back in the order of the calls", async () => {
		node.answer = (body) =>
			Response.json(
				list(body)
					.map(({ id, params }) => ({ id, result: params[0] }))
					.reverse(),
			);
		expect(await rpcTo(node.url).batch(numbered(5))).toEqual([0, 1, 2, 3, 4]);
	});

	test("ids that come back as text are ids all the same", async () => {
		node.answer = (body) =>
			Response.json(
				list(body)
					.map(({ id, params }) => ({ id: `${id}`, result: params[0] }))
					.reverse(),
			);
		expect(await rpcTo(node.url).batch(numbered(3))).toEqual([0, 1, 2]);
	});

	test("a null result is an answer", async () => {
		node.answer = answering(() => null);
		expect(await rpcTo(node.url).call(call)).toBeNull();
		expect(await rpcTo(node.url).batch(numbered(2))).toEqual([null, null]);
	});

	const liars: Record<string, (calls: FakeCall[]) => unknown> = {
		"half of the answers": (calls) => calls.slice(1).map(({ id }) => ({ id, result: "0x" })),
		"one answer twice": (calls) => calls.map(() => ({ id: calls[0]?.id, result: "0x" })),
		"ids of somebody else": (calls) => calls.map(({ id }) => ({ id: id + 900, result: "0x" })),
		"no ids": (calls) => calls.map(() => ({ result: "0x" })),
		"an answer without a result": (calls) => calls.map(({ id }) => ({ id })),
		nothing: () => null,
	};
	for (const [what, answer] of Object.entries(liars)) {
		test(`a batch that is answered with ${what} taught us nothing`, async () => {
			node.answer = (body) => Response.json(answer(list(body)));
			expect(await code(rpcTo(node.url).batch(numbered(3)))).toBe("rpc_transport");
		});
	}

	test("a batch is cut at the endpoint's limit, and put together again in order", async () => {
		node.answer = answering(({ params }) => params[0]);
		const rpc = rpcTo(node.url, { batchMax: 10, concurrencyMax: 3 });
		expect(await rpc.batch(numbered(95))).toEqual(numbered(95).map((_, index) => index));
		expect(node.requests.map((body) => list(body).length).toSorted()).toEqual([
			10, 10, 10, 10, 10, 10, 10, 10, 10, 5,
		]);
		expect(rpc.stats()).toMatchObject({ requests: 10, calls: 95 });
	});

	test("a batch that failed sends nothing more", async () => {
		node.answer = () => new Response("away", { status: 503 });
		const rpc = rpcTo(node.url, { batchMax: 1, concurrencyMax: 1 });
		expect(await code(rpc.batch(numbered(50)))).toBe("rpc_transport");
		expect(node.requests).toHaveLength(1);
	});
});

describe("errors", () => {
	const error = (error: unknown, status = 200) => {
		node.answer = (body) => Response.json({ id: list(body)[0]?.id, error }, { status });
		return code(rpcTo(node.url).call(call));
	};

	test("a node's own no is refused, too much is a range, too often is silence", async () => {
		expect(await error({ code: -32_601, message: "no such method" })).toBe("rpc_refused");
		expect(await error({ code: -32_000, message: "block range too large" })).toBe("rpc_range");
		expect(await error({ code: -32_005, message: "rate limit" })).toBe("rpc_transport");
	});

	test("the body decides behind a 400 or 500", async () => {
		expect(await error({ code: -32_000, message: "more than 10 logs" }, 400)).toBe("rpc_range");
		expect(await error({ code: -32_000, message: "unknown block" }, 500)).toBe("rpc_refused");
	});

	for (const status of [401, 403, 429, 502, 503]) {
		test(`a ${status} speaks of the endpoint, whatever its body says`, async () => {
			const limit = { code: -32_005, message: "limit exceeded" };
			expect(await error(limit, status)).toBe("rpc_transport");
		});
	}

	test("a batch refused by one error object is that error", async () => {
		node.answer = () =>
			Response.json({ id: null, error: { code: -32_005, message: "too many logs" } });
		expect(await code(rpcTo(node.url).batch(numbered(3)))).toBe("rpc_range");
	});

	test("errors of any shape are errors", async () => {
		for (const shape of ["no", 7, true, [], { message: 9 }, { code: "x" }]) {
			expect(await error(shape)).toBe("rpc_refused");
		}
	});

	test("a page that is not JSON, and a plain 500, are silence", async () => {
		node.answer = () => new Response("<html>");
		expect(await code(rpcTo(node.url).call(call))).toBe("rpc_transport");
		node.answer = () => new Response("oops", { status: 500 });
		expect(await code(rpcTo(node.url).call(call))).toBe("rpc_transport");
	});

	test("a redirect is not followed", async () => {
		const other = fakeNode();
		node.answer = () => Response.redirect(other.url, 307);
		expect(await code(rpcTo(node.url).call(call))).toBe("rpc_transport");
		expect(other.requests).toEqual([]);
		await other.stop();
	});

	test("a megabyte of error text is cut", async () => {
		node.answer = () => Response.json({ id: 1, error: { code: 3, message: "x".repeat(50_000) } });
		const failure = await failureOf(rpcTo(node.url).call(call));
		expect(failure.message.length).toBeLessThan(500);
	});

	test("[SEC-07] a key in the endpoint's URL is in no error", async () => {
		await node.stop();
		for (const scheme of ["http:", "https:", "gopher:"]) {
			const url = `${node.url.replace("http:", scheme)}/v2/c4n4ryc4n4ryc4n4ry`;
			const failure = await failureOf(rpcTo(url).call(call));
			expect(failure.code).toBe("rpc_transport");
			expect(Bun.inspect(failure, { depth: 9 })).not.toContain("c4n4ry");
		}
	});
});

describe("limits", () => {
	test("an endpoint that says nothing is given up in time", async () => {
		node.answer = () => undefined;
		expect(await code(rpcTo(node.url, { timeoutMs: 20 }).call(call))).toBe("rpc_transport");
	});

	test("an endpoint that stops in the middle of its answer is given up in time", async () => {
		node.answer = () =>
			new Response(new ReadableStream({ start: (c) => c.enqueue(Buffer.from('{"id":1,')) }));
		expect(await code(rpcTo(node.url, { timeoutMs: 50 }).call(call))).toBe("rpc_transport");
	});

	test("the caller's signal ends a call", async () => {
		node.answer = () => undefined;
		const stopping = new AbortController();
		const ended = code(rpcTo(node.url).call(call, { signal: stopping.signal }));
		stopping.abort();
		expect(await ended).toBe("rpc_transport");
	});

	const answer = JSON.stringify({ id: 1, result: "x".repeat(200_000) });
	const bodies: Record<string, () => Response> = {
		"announced as": () => new Response(answer),
		"sent in pieces of": () => {
			const pieces = [answer.slice(0, 60_000), answer.slice(60_000)];
			return inPieces(pieces.map((text) => Buffer.from(text)));
		},
		"unpacked to": () => {
			const headers = { "content-encoding": "gzip" };
			return new Response(gzipSync(answer), { headers });
		},
	};
	for (const [what, make] of Object.entries(bodies)) {
		test(`an answer ${what} more than the limit is refused as too much`, async () => {
			node.answer = make;
			expect(await code(rpcTo(node.url).call(call))).toBe("rpc_range");
			expect(await code(rpcTo(node.url, { bodyBytesMax: 300_000 }).call(call))).toHaveProperty(
				"answered",
			);
		});
	}

	describe("a large answer", () => {
		const large = { bodyBytesMax: 3_000_000 };
		const result = `${"ä€😀".repeat(100_000)}`;

		test("says the same whether its length is announced or not", async () => {
			const text = JSON.stringify({ id: 1, result });
			for (const make of [() => new Response(text), () => inPieces([Buffer.from(text)])]) {
				node.answer = make;
				const rpc = rpcTo(node.url, large);
				expect(await rpc.call(call)).toBe(result);
				expect(rpc.stats().bytes).toBeGreaterThanOrEqual(400_000);
			}
		});

		test("that is not JSON, or is an error, is what it is when small", async () => {
			node.answer = () => new Response(`<html>${result}`);
			expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_transport");
			const told = { code: -32_602, message: `query returned more than 10000 results ${result}` };
			node.answer = () => Response.json({ id: 1, error: told });
			expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_range");
			node.answer = () => new Response(result, { status: 500 });
			expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_transport");
		});
	});

	test("letters that lie across two pieces stay whole", async () => {
		const bytes = Buffer.from(JSON.stringify({ id: 1, result: "ä€😀" }));
		node.answer = () => inPieces([...bytes].map((byte) => Buffer.from([byte])));
		expect(await rpcTo(node.url).call(call)).toBe("ä€😀");
	});
});
