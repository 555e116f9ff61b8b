import { afterEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { answering, type FakeNode, fakeNode, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log/silentLog.ts";

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
const nodes: FakeNode[] = [];
afterEach(async () => {
	for (const node of nodes.splice(0)) await node.stop();
});

function make(count: number, log = silentLog) {
	const made = Array.from({ length: count }, (_, index) => {
		const node = fakeNode();
		node.answer = answering(({ method }) =>
			method === "eth_chainId" ? hex(anvil.id) : `from ${index}`,
		);
		return node;
	});
	nodes.push(...made);
	const limits = { timeoutMs: 2_000, batchMax: 10, concurrencyMax: 2, bodyBytesMax: 10_000 };
	const endpoints = made.map((node, index) => ({
		name: `node ${index}`,
		open: () => httpRpc({ url: node.url, ...limits }),
	}));
	// Time stands still, and no endpoint is probed.
	const clock = { nowMs: () => 0 };
	const probeAfterMs = Number.POSITIVE_INFINITY;
	return { nodes: made, rpc: chainRpc({ chain: anvil, endpoints, log, clock, probeAfterMs }) };
}

const call = { method: "eth_blockNumber", params: [] };
const failure = (promise: Promise<unknown>): Promise<{ code?: string }> =>
	promise.then(
		() => ({}),
		(error) => error,
	);
const down = () => new Response("away", { status: 503 });
const asked = (node?: FakeNode) =>
	node?.requests.map((body) => (Array.isArray(body) ? "batch" : body.method));

test("[ING-14] when an endpoint fails the next one answers, and is asked first from then on", async () => {
	const { nodes, rpc } = make(3);
	expect(await rpc.call(call)).toBe("from 0");
	if (nodes[0]) nodes[0].answer = down;
	expect(await rpc.call(call)).toBe("from 1");
	expect(await rpc.batch([call, call])).toEqual(["from 1", "from 1"]);
	expect(asked(nodes[0])).toHaveLength(3);
	expect(asked(nodes[2])).toEqual([]);
});

test("[ING-14] an endpoint of another chain is asked for nothing but its chain id", async () => {
	const said: string[] = [];
	const log = { ...silentLog, error: (message: string) => said.push(message) };
	const { nodes, rpc } = make(2, log);
	if (nodes[0]) nodes[0].answer = answering(() => "0x1");
	expect(await rpc.call(call)).toBe("from 1");
	expect(asked(nodes[0])).toEqual(["eth_chainId"]);
	expect(said).toEqual(["an RPC endpoint serves another chain"]);
});

test("[ING-14] an endpoint that failed must name its chain again before it is believed", async () => {
	const { nodes, rpc } = make(1);
	const [node] = nodes;
	const honest = node?.answer ?? down;
	await rpc.call(call);
	if (node) node.answer = down;
	await expect(rpc.call(call)).rejects.toMatchObject({ code: "rpc_transport" });
	// It is back, but leads to another chain.
	if (node) node.answer = answering(() => "0x1");
	const failed = await failure(rpc.call(call));
	expect(failed.code).toBe("rpc_wrong_chain");
	if (node) node.answer = honest;
	expect(await rpc.call(call)).toBe("from 0");
});

test("a node's own no is not asked of the others", async () => {
	const { nodes, rpc } = make(2);
	await rpc.call(call);
	if (nodes[0]) {
		nodes[0].answer = () =>
			Response.json({ id: null, error: { code: -32_000, message: "unknown block" } });
	}
	const failed = await failure(rpc.call(call));
	expect(failed.code).toBe("rpc_refused");
	expect(asked(nodes[1])).toEqual([]);
});

test("[ING-14] an endpoint that will not even name its chain, as with a key that ran out, is passed by", async () => {
	const { nodes, rpc } = make(2);
	if (nodes[0]) {
		nodes[0].answer = () =>
			Response.json({ id: null, error: { code: -32_000, message: "invalid API key" } });
	}
	expect(await rpc.call(call)).toBe("from 1");
	expect(asked(nodes[0])).toEqual(["eth_chainId"]);
});

test("with every endpoint down the call fails as silence, once each was tried", async () => {
	const { nodes, rpc } = make(3);
	for (const node of nodes) node.answer = down;
	const failed = await failure(rpc.call(call));
	expect(failed.code).toBe("rpc_transport");
	expect(nodes.map((node) => node.requests.length)).toEqual([1, 1, 1]);
});

test("a caller that gave up is not served by the next endpoint", async () => {
	const { nodes, rpc } = make(2);
	if (nodes[0]) nodes[0].answer = () => undefined;
	const stopping = new AbortController();
	const failed = failure(rpc.call(call, { signal: stopping.signal }));
	stopping.abort();
	expect((await failed).code).toBe("rpc_transport");
	expect(asked(nodes[1])).toEqual([]);
});

test("the figures are those of all endpoints together", async () => {
	const { nodes, rpc } = make(2);
	await rpc.call(call);
	if (nodes[0]) nodes[0].answer = down;
	await rpc.call(call);
	expect(rpc.stats()).toMatchObject({ requests: 5, calls: 5 });
});
