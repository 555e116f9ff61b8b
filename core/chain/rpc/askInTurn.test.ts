import { afterEach, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { type RpcPurpose, withPurpose } from "#core/chain/rpc/Rpc.ts";
import { answering, type FakeNode, fakeNode, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: where somebody waits for what is only read, a silent endpoint is not waited for to its
// end; what sends is put to one endpoint, and of two answers one is used whole.

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
const nodes: FakeNode[] = [];
afterEach(async () => {
	for (const node of nodes.splice(0)) await node.stop();
});

const silent = () => undefined;
const speaking = (name: string) =>
	answering(({ method }) => (method === "eth_chainId" ? hex(anvil.id) : name));
const balance = { method: "eth_getBalance", params: [] };
const send = { method: "eth_sendRawTransaction", params: ["0x"] };

/** Two endpoints of which the first is silent, for an hour if need be. */
function make(purpose: RpcPurpose) {
	const [first, second] = [fakeNode(), fakeNode()];
	nodes.push(first, second);
	first.answer = silent;
	second.answer = speaking("second");
	const limits = { timeoutMs: 3_600_000, batchMax: 10, concurrencyMax: 9, bodyBytesMax: 10_000 };
	const endpoints = [first, second].map((node, index) => ({
		name: `node ${index}`,
		open: () => httpRpc({ url: node.url, ...limits }),
	}));
	const clock = { nowMs: () => 0 };
	const probeAfterMs = Number.POSITIVE_INFINITY;
	const all = chainRpc({ chain: anvil, endpoints, log: silentLog, clock, probeAfterMs });
	return { first, second, all, rpc: withPurpose(all, purpose) };
}
const methods = ({ requests }: FakeNode) => {
	return requests.flatMap((body) => [body].flat()).map(({ method }) => method);
};

describe("a call that a silent endpoint does not answer", () => {
	for (const purpose of ["intents", "requests"] as const) {
		test(`the next endpoint answers the call if somebody waits for it (${purpose})`, async () => {
			const { rpc, first } = make(purpose);
			expect(await rpc.batch([balance, balance])).toEqual(["second", "second"]);
			expect(first.requests).toHaveLength(1);
			// It has never answered, so it is not asked first any more.
			expect(await rpc.call(balance)).toBe("second");
			expect(first.requests).toHaveLength(1);
		});
	}

	test("the call goes to one endpoint only if it sends a transaction, or if nobody waits", async () => {
		const { rpc, all, first, second } = make("intents");
		first.answer = answering(({ method }) => hex(method === "eth_chainId" ? anvil.id : 1));
		expect(await rpc.call(balance)).toBe(hex(1));
		first.answer = silent;
		const ending = new AbortController();
		const { signal } = ending;
		const alone = [
			rpc.call(send, { signal }),
			rpc.batch([balance, send], { signal }),
			withPurpose(all, "catch_up").call(balance, { signal }),
		];
		const ends = Promise.allSettled(alone);
		await until(() => first.requests.length >= 5, "all were put to the first");
		// Longer than any of them would wait: each of these waits for as long by itself.
		expect(await rpc.call(balance)).toBe("second");
		expect(await rpc.call(balance)).toBe("second");
		expect(methods(second)).toEqual(["eth_chainId", "eth_getBalance", "eth_getBalance"]);
		ending.abort();
		for (const { status } of await ends) expect(status).toBe("rejected");
	});
});

test("the first of two answers is used as a whole, and the later one is ignored", async () => {
	const { rpc, first } = make("intents");
	const heard = new Set<string>();
	expect(await rpc.batch([balance, balance], { heard })).toEqual(["second", "second"]);
	expect([...heard]).toEqual(["node 1"]);
	first.answer = speaking("first");
	expect(await rpc.call(balance)).toBe("second");
});

test("an endpoint that answers keeps its rank, and a refusal by the second one counts as an answer", async () => {
	const { rpc, first, second } = make("intents");
	first.answer = speaking("first");
	for (let turn = 0; turn < 5; turn++) expect(await rpc.call(balance)).toBe("first");
	expect(second.requests).toEqual([]);
	first.answer = silent;
	second.answer = (body) => {
		const [call] = [body].flat();
		const error = { code: -32_000, message: "execution reverted" };
		const result = call?.method === "eth_chainId" ? { result: hex(anvil.id) } : { error };
		return Response.json({ jsonrpc: "2.0", id: call?.id, ...result });
	};
	await expect(rpc.call(balance)).rejects.toMatchObject({ code: "rpc_refused" });
});
