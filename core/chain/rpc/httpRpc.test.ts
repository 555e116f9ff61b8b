import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type HttpRpcOptions, httpRpc } from "#core/chain/rpc/httpRpc.ts";
import {
	answering,
	type FakeCall,
	type FakeNode,
	fakeNode,
} from "#core/chain/rpc/testing/fakeNode.ts";

describe("httpRpc.batch", () => {
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

	test("[ING-14] calls are sent one by one, not as arrays of one, to a node that accepts no batch", async () => {
		node.answer = (body) =>
			Array.isArray(body) ? new Response(null, { status: 413 }) : honest(body);
		expect(await rpcTo(node.url).batch(numbered(5))).toEqual([0, 1, 2, 3, 4]);
		expect(sizes().filter((size) => size === "alone")).toHaveLength(5);
	});

	test("a revert message that mentions batches does not make batches smaller", async () => {
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

	test("[ING-14] calls that must run in order do so, however small the batches are", async () => {
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

	test("a batch answered only in part is halved; one whose answers have gaps changes no batch size", async () => {
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

	test("[ING-14] the retry time of a 429 or 503 is passed on, that of other statuses is ignored", async () => {
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

	test("the end of each request is reported, with its outcome", async () => {
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
});

describe("httpRpc.settle", () => {
	type Sent = { id: number; method: string };

	let answer: (calls: Sent[]) => unknown = () => [];
	const node = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: async (request) => Response.json(answer((await request.json()) as Sent[])),
	});
	afterAll(() => void node.stop(true));

	const rpc = httpRpc({
		url: `http://127.0.0.1:${node.port}`,
		timeoutMs: 5_000,
		batchMax: 10,
		concurrencyMax: 1,
		bodyBytesMax: 1_000_000,
	});
	const calls = ["a", "b", "c"].map((method) => ({ method, params: [] }));

	test("a call that the node refuses fails alone, in one request with the others", async () => {
		answer = (sent) =>
			sent
				.map(({ id, method }) =>
					method === "b"
						? { id, error: { code: 3, message: "execution reverted" } }
						: { id, result: method },
				)
				.reverse();
		const before = rpc.stats().requests;
		const outcomes = await rpc.settle(calls);
		expect(outcomes.map(({ kind }) => kind)).toEqual(["result", "fault", "result"]);
		expect(outcomes[2]).toEqual({ kind: "result", result: "c" });
		const [, refused] = outcomes;
		expect(refused?.kind === "fault" && refused.fault.code).toBe("rpc_refused");
		expect(rpc.stats().requests - before).toBe(1);
	});

	test("a call that the node refuses makes `batch` fail as a whole", async () => {
		expect(rpc.batch(calls)).rejects.toThrow("rpc_refused");
	});

	test("one 'too many requests' among the answers makes `settle` fail as a whole", async () => {
		answer = (sent) =>
			sent.map(({ id, method }) =>
				method === "b"
					? { id, error: { code: -32005, message: "too many requests" } }
					: { id, result: method },
			);
		expect(rpc.settle(calls)).rejects.toThrow("rpc_transport");
	});

	test("an answer above the caller's own limit is refused, with the size in the message", async () => {
		answer = (sent) => sent.map(({ id }) => ({ id, result: "x".repeat(1_000) }));
		const failed = await rpc.batch(calls, { bodyBytesMax: 1_000 }).catch((fault) => fault);
		expect(failed.code).toBe("rpc_range");
		expect(failed.meta.timesTooLarge).toBeGreaterThan(3);
		expect(await rpc.batch(calls)).toHaveLength(3);
	});
});

describe("httpRpc", () => {
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

		test("ids that are returned as text are accepted", async () => {
			node.answer = (body) =>
				Response.json(
					list(body)
						.map(({ id, params }) => ({ id: `${id}`, result: params[0] }))
						.reverse(),
				);
			expect(await rpcTo(node.url).batch(numbered(3))).toEqual([0, 1, 2]);
		});

		test("a null result is a valid answer", async () => {
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
			test(`a batch that is answered with ${what} is a transport fault`, async () => {
				node.answer = (body) => Response.json(answer(list(body)));
				expect(await code(rpcTo(node.url).batch(numbered(3)))).toBe("rpc_transport");
			});
		}

		test("a batch is split at the endpoint's limit, and its answers keep their order", async () => {
			node.answer = answering(({ params }) => params[0]);
			const rpc = rpcTo(node.url, { batchMax: 10, concurrencyMax: 3 });
			expect(await rpc.batch(numbered(95))).toEqual(numbered(95).map((_, index) => index));
			expect(node.requests.map((body) => list(body).length).toSorted()).toEqual([
				10, 10, 10, 10, 10, 10, 10, 10, 10, 5,
			]);
			expect(rpc.stats()).toMatchObject({ requests: 10, calls: 95 });
		});

		test("after a batch failed nothing more of it is sent", async () => {
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

		test("a refusal, a range that is too large, and a rate limit each give their own fault", async () => {
			expect(await error({ code: -32_601, message: "no such method" })).toBe("rpc_refused");
			expect(await error({ code: -32_000, message: "block range too large" })).toBe("rpc_range");
			expect(await error({ code: -32_005, message: "rate limit" })).toBe("rpc_transport");
		});

		test("with a 400 or 500 the body decides the fault", async () => {
			expect(await error({ code: -32_000, message: "more than 10 logs" }, 400)).toBe("rpc_range");
			expect(await error({ code: -32_000, message: "unknown block" }, 500)).toBe("rpc_refused");
		});

		for (const status of [401, 403, 429, 502, 503]) {
			test(`a ${status} is a fault of the endpoint, whatever its body says`, async () => {
				const limit = { code: -32_005, message: "limit exceeded" };
				expect(await error(limit, status)).toBe("rpc_transport");
			});
		}

		test("a batch answered by one error object fails with that error", async () => {
			node.answer = () =>
				Response.json({ id: null, error: { code: -32_005, message: "too many logs" } });
			expect(await code(rpcTo(node.url).batch(numbered(3)))).toBe("rpc_range");
		});

		test("error objects of any shape are read as errors", async () => {
			for (const shape of ["no", 7, true, [], { message: 9 }, { code: "x" }]) {
				expect(await error(shape)).toBe("rpc_refused");
			}
		});

		test("a page that is not JSON, and a plain 500, are transport faults", async () => {
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

		test("an error text of a megabyte is cut", async () => {
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
		test("an endpoint that does not answer is given up after the time limit", async () => {
			node.answer = () => undefined;
			expect(await code(rpcTo(node.url, { timeoutMs: 20 }).call(call))).toBe("rpc_transport");
		});

		test("an endpoint that stops in the middle of its answer is given up after the time limit", async () => {
			node.answer = () =>
				new Response(new ReadableStream({ start: (c) => c.enqueue(Buffer.from('{"id":1,')) }));
			expect(await code(rpcTo(node.url, { timeoutMs: 50 }).call(call))).toBe("rpc_transport");
		});

		test("the caller's signal aborts a call", async () => {
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

			test("a large answer gives the same result with and without a content-length", async () => {
				const text = JSON.stringify({ id: 1, result });
				for (const make of [() => new Response(text), () => inPieces([Buffer.from(text)])]) {
					node.answer = make;
					const rpc = rpcTo(node.url, large);
					expect(await rpc.call(call)).toBe(result);
					expect(rpc.stats().bytes).toBeGreaterThanOrEqual(400_000);
				}
			});

			test("a large answer that is no JSON, or an error, is handled as a small one is", async () => {
				node.answer = () => new Response(`<html>${result}`);
				expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_transport");
				const told = { code: -32_602, message: `query returned more than 10000 results ${result}` };
				node.answer = () => Response.json({ id: 1, error: told });
				expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_range");
				node.answer = () => new Response(result, { status: 500 });
				expect(await code(rpcTo(node.url, large).call(call))).toBe("rpc_transport");
			});
		});

		test("characters that are split across two chunks are kept", async () => {
			const bytes = Buffer.from(JSON.stringify({ id: 1, result: "ä€😀" }));
			node.answer = () => inPieces([...bytes].map((byte) => Buffer.from([byte])));
			expect(await rpcTo(node.url).call(call)).toBe("ä€😀");
		});
	});
});
