import { afterEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type FakeNode, fakeHeader, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log/silentLog.ts";

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
const stopping: AbortController[] = [];
const nodes: FakeNode[] = [];
afterEach(async () => {
	for (const controller of stopping.splice(0)) controller.abort();
	for (const node of nodes.splice(0)) await node.stop();
});

const POLL_MS = 2;

function watch(poll: () => Promise<unknown>, headUrls: string[] = []) {
	const heads = collector<number>();
	const said: string[] = [];
	const polls = collector<number>();
	let count = 0;
	const rpc: Rpc = {
		call() {
			polls.add(++count);
			return poll();
		},
		batch: async () => [],
		settle: async () => [],
		distrust: () => {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	const controller = new AbortController();
	stopping.push(controller);
	const say = (message: string) => said.push(message);
	const time = { nowMs: 1_000 };
	watchHeads({
		chain: anvil,
		rpc,
		headUrls,
		pollMs: POLL_MS,
		clock: { nowMs: () => time.nowMs },
		log: { ...silentLog, info: say, warn: say },
		onHead: ({ number }) => heads.add(number),
		signal: controller.signal,
		reconnectMinMs: 1,
	});
	return { heads, polls, said, time, controller };
}

test("without a socket the chain is polled, at once and then again and again", async () => {
	let block = 0;
	const { heads } = watch(async () => fakeHeader(++block));
	expect([await heads.next(), await heads.next(), await heads.next()]).toEqual([1, 2, 3]);
});

test("a socket's head far ahead is not passed on until the endpoints say the same", async () => {
	const node = fakeNode();
	nodes.push(node);
	const answer = node.socketAnswer;
	const subscribed = Promise.withResolvers<void>();
	node.socketAnswer = (call) => {
		if (call.method === "eth_subscribe") subscribed.resolve();
		return answer(call);
	};
	let block = 7;
	const { heads } = watch(async () => fakeHeader(block), [node.wsUrl]);
	expect(await heads.next()).toBe(7);
	await subscribed.promise;
	// Announced until one head came by the socket: then it is subscribed.
	node.announce(8);
	while ((await heads.next()) !== 8) node.announce(8);
	heads.rest().length = 0;
	node.announce(10 ** 9);
	let next = await heads.next();
	// More of those announced above may arrive.
	while (next === 8) next = await heads.next();
	expect(next).toBe(7);
	block = 10 ** 9;
	node.announce(10 ** 9);
	while ((await heads.next()) !== 10 ** 9);
});

test("while a socket speaks nothing is polled; when it has long been silent, polling begins", async () => {
	const node = fakeNode();
	nodes.push(node);
	const answer = node.socketAnswer;
	node.socketAnswer = (call) => {
		if (call.method === "eth_subscribe") queueMicrotask(() => node.announce(7));
		return answer(call);
	};
	let block = 100;
	const { heads, polls, time } = watch(async () => fakeHeader(++block), [node.wsUrl]);
	while ((await heads.next()) !== 7);
	heads.rest().length = polls.rest().length = 0;
	// Many heads over a real socket take longer than a poll's interval: any poll would be noticed.
	for (let next = 8; next < 40; next++) {
		node.announce(next);
		expect(await heads.next()).toBe(next);
	}
	expect(polls.rest()).toEqual([]);
	time.nowMs += POLL_MS * 10;
	expect(await heads.next()).toBeGreaterThan(100);
});

test("when the socket is lost polling begins at once", async () => {
	const node = fakeNode();
	nodes.push(node);
	const answer = node.socketAnswer;
	let speaks = true;
	node.socketAnswer = (call) => {
		if (call.method === "eth_subscribe" && speaks) queueMicrotask(() => node.announce(7));
		return answer(call);
	};
	const { heads, polls } = watch(async () => fakeHeader(100), [node.wsUrl]);
	while ((await heads.next()) !== 7);
	polls.rest().length = 0;
	speaks = false;
	node.hangUp();
	expect(await polls.next()).toBeGreaterThan(0);
});

test("an outage is said once, and its end once", async () => {
	let away = true;
	const { heads, polls, said } = watch(async () => {
		if (away) throw rpcFault.transport();
		return fakeHeader(7);
	});
	for (let poll = 0; poll < 4; poll++) await polls.next();
	away = false;
	await heads.next();
	await heads.next();
	expect(said).toEqual(["the chain's RPC does not answer", "the chain's RPC answers again"]);
});

test("a poll that hangs is not joined by others", async () => {
	let answer: (header: unknown) => void = () => {};
	const hanging = new Promise((resolve) => {
		answer = resolve;
	});
	let first = true;
	const { heads, polls } = watch(() => {
		if (!first) return Promise.resolve(fakeHeader(8));
		first = false;
		setTimeout(() => answer(fakeHeader(7)), POLL_MS * 10);
		return hanging;
	});
	expect(await heads.next()).toBe(7);
	expect(polls.rest()).toEqual([1]);
});

test("what is no head is passed on to nobody", async () => {
	const answers = [null, {}, "0x", fakeHeader(7)];
	const { heads } = watch(async () => (answers.length > 0 ? answers.shift() : fakeHeader(8)));
	expect(await heads.next()).toBe(7);
});

test("a watch whose signal is already aborted asks nothing", () => {
	const controller = new AbortController();
	controller.abort();
	let asked = 0;
	const rpc: Rpc = {
		call: async () => ++asked,
		batch: async () => [],
		settle: async () => [],
		distrust: () => {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	watchHeads({
		chain: anvil,
		rpc,
		headUrls: ["ws://127.0.0.1:1"],
		pollMs: POLL_MS,
		clock: { nowMs: () => 0 },
		log: silentLog,
		onHead: () => {},
		signal: controller.signal,
	});
	expect(asked).toBe(0);
});
