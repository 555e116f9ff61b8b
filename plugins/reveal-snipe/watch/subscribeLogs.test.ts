import { afterEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log.ts";
import { type PushedLog, subscribeLogs } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";
import { until } from "#test/harness/until.ts";

const nodes: FakeNode[] = [];
const stopping: AbortController[] = [];
afterEach(async () => {
	for (const controller of stopping.splice(0)) controller.abort();
	for (const node of nodes.splice(0)) await node.stop();
});

const addressOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const A = addressOf(0xa);
const B = addressOf(0xb);
const C = addressOf(0xc);

type Call = { method: string; params: unknown[] };

/** Starts a node that names each subscription, and records requests over its sockets. */
function open(given: { chainId?: number; addressesMax?: number } = {}) {
	const node = fakeNode({ chainId: given.chainId ?? 31_337 });
	nodes.push(node);
	const asked: Call[] = [];
	const answer = node.socketAnswer;
	let names = 0;
	const isMute = { now: false };
	node.socketAnswer = (call) => {
		asked.push(call);
		if (isMute.now) return undefined;
		if (call.method !== "eth_subscribe") return answer(call);
		const [, filter] = call.params as [string, { address: Address[] }];
		const isTooMany = filter.address.length > (given.addressesMax ?? 1_000);
		const error = { code: -32_602, message: "too many addresses" };
		const told = isTooMany ? { error } : { result: `0x${++names}` };
		return JSON.stringify({ jsonrpc: "2.0", id: call.id, ...told });
	};
	const filters = () =>
		asked.flatMap(({ method, params }) =>
			method === "eth_subscribe" ? [(params[1] as { address: Address[] }).address] : [],
		);
	return { node, asked, filters, isMute };
}

function subscribe(urls: string[], chainId = 31_337) {
	const logs: PushedLog[] = [];
	const controller = new AbortController();
	stopping.push(controller);
	const made = subscribeLogs({
		...{ chainId, urls, log: silentLog, signal: controller.signal, reconnectMs: 1 },
		onLog: (log) => logs.push(log),
	});
	return { ...made, logs };
}

const logOf = (address: Address) => ({ address, topics: ["0x01"], blockNumber: "0x7" });

test("logs of the given contracts are received, and nothing is subscribed to while there are none", async () => {
	const { node, filters } = open();
	const { resync, isLive, logs } = subscribe([node.wsUrl]);
	resync([]);
	expect(node.opened()).toBe(0);
	resync([B, A, A]);
	await until(isLive, "it is subscribed");
	expect(filters()).toEqual([[A, B]]);
	node.push("0x1", logOf(A));
	await until(() => logs.length === 1, "the log is heard");
	expect(logs[0]).toEqual({ address: A, topic: "0x01", blockNumber: 7 });
});

test("a change of the contracts is subscribed to before the old subscription ends", async () => {
	const { node, asked, filters } = open();
	const { resync, isLive } = subscribe([node.wsUrl]);
	resync([A]);
	await until(isLive, "it is subscribed");
	resync([A]);
	resync([A, C]);
	await until(() => asked.some(({ method }) => method === "eth_unsubscribe"), "the old one ends");
	expect(filters()).toEqual([[A], [A, C]]);
	expect(asked.map(({ method }) => method)).toEqual([
		"eth_chainId",
		"eth_subscribe",
		"eth_subscribe",
		"eth_unsubscribe",
	]);
	await until(isLive, "it is subscribed again");
	expect(node.opened()).toBe(1);
});

test("a list of addresses that a node refuses as too long is split until it is accepted", async () => {
	const { node, filters } = open({ addressesMax: 2 });
	const { resync, isLive } = subscribe([node.wsUrl]);
	const wanted = Array.from({ length: 7 }, (_, index) => addressOf(index + 1));
	resync(wanted);
	await until(isLive, "all are subscribed to");
	const taken = filters().filter(({ length }) => length <= 2);
	expect(taken.flat().sort()).toEqual(wanted);
});

test("a socket that closes, or no longer answers, is replaced", async () => {
	const { node, isMute } = open();
	const { resync, isLive, probe } = subscribe([node.wsUrl]);
	resync([A]);
	await until(isLive, "it is subscribed");
	node.hangUp();
	await until(() => node.opened() === 2 && isLive(), "another socket is subscribed");
	probe();
	await until(isLive, "it is alive");
	isMute.now = true;
	probe();
	probe();
	isMute.now = false;
	await until(() => node.opened() >= 3 && isLive(), "the dead socket is replaced");
});

test("a new socket does not count as dead, and one that is never confirmed does", async () => {
	const { node, isMute } = open();
	isMute.now = true;
	const { resync, isLive, probe } = subscribe([node.wsUrl]);
	resync([A]);
	probe();
	await until(() => node.opened() === 1, "it is opened");
	isMute.now = false;
	await until(() => {
		probe();
		return isLive();
	}, "another one is confirmed");
	expect(node.opened()).toBeGreaterThan(1);
});

test("logs of a socket on another chain are ignored; the next endpoint is tried", async () => {
	const wrong = open({ chainId: 1 });
	const right = open();
	const { resync, isLive, logs } = subscribe([wrong.node.wsUrl, right.node.wsUrl]);
	resync([A]);
	await until(isLive, "the right one is subscribed to");
	wrong.node.push("0x1", logOf(A));
	right.node.push("0x1", logOf(B));
	await until(() => logs.length === 1, "a log is heard");
	expect(logs[0]?.address).toBe(B);
	expect(wrong.filters()).toEqual([]);
});

test("messages other than logs are ignored", async () => {
	const { node } = open();
	const { resync, isLive, logs } = subscribe([node.wsUrl]);
	resync([A]);
	await until(isLive, "it is subscribed");
	node.push("0x1", { address: "nobody", topics: [], blockNumber: "0x1" });
	node.push("0x1", { address: A, topics: ["0x01"], blockNumber: `0x${"f".repeat(40)}` });
	node.push("0x1", null);
	node.push("0x1", logOf(A));
	await until(() => logs.length > 0, "the log is heard");
	expect(logs).toHaveLength(1);
});
