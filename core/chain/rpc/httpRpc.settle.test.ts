import { afterAll, expect, test } from "bun:test";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";

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

test("the same answer fails a batch as a whole", async () => {
	expect(rpc.batch(calls)).rejects.toThrow("rpc_refused");
});

test("a node that only says 'not now' to one call taught nothing about any", async () => {
	answer = (sent) =>
		sent.map(({ id, method }) =>
			method === "b"
				? { id, error: { code: -32005, message: "too many requests" } }
				: { id, result: method },
		);
	expect(rpc.settle(calls)).rejects.toThrow("rpc_transport");
});

test("an answer above the caller's own limit is refused, and says by how much", async () => {
	answer = (sent) => sent.map(({ id }) => ({ id, result: "x".repeat(1_000) }));
	const failed = await rpc.batch(calls, { bodyBytesMax: 1_000 }).catch((fault) => fault);
	expect(failed.code).toBe("rpc_range");
	expect(failed.meta.timesTooLarge).toBeGreaterThan(3);
	expect(await rpc.batch(calls)).toHaveLength(3);
});
