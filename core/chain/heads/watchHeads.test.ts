import { afterEach, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { subscribeHeads, watchHeads } from "#core/chain/heads/watchHeads.ts";
import { type Rpc, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { type FakeNode, fakeHeader, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log.ts";

describe("subscribeHeads", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
	const nodes: FakeNode[] = [];
	const stopping: AbortController[] = [];
	afterEach(async () => {
		for (const controller of stopping.splice(0)) controller.abort();
		for (const node of nodes.splice(0)) await node.stop();
	});

	function open(chainId = anvil.id): FakeNode {
		const node = fakeNode({ chainId });
		nodes.push(node);
		return node;
	}

	/** Announces block 7 as soon as a socket has subscribed, after the answer of `first`. */
	function announceOnSubscribe(node: FakeNode, block: number) {
		const answer = node.socketAnswer;
		node.socketAnswer = (call) => {
			if (call.method === "eth_subscribe") queueMicrotask(() => node.announce(block));
			return answer(call);
		};
	}

	function subscribe(
		urls: string[],
		options: { silenceMaxMs?: number; onSocketCall?: SocketCallListener } = {},
	) {
		const heads = collector<number>();
		const losses = collector<string>();
		const warnings = collector<unknown>();
		const controller = new AbortController();
		stopping.push(controller);
		subscribeHeads({
			chain: anvil,
			headUrls: urls,
			log: { ...silentLog, warn: (_, context) => warnings.add(context) },
			onHead: ({ number }) => heads.add(number),
			onLost: () => losses.add("lost"),
			signal: controller.signal,
			reconnectMinMs: 1,
			...options,
		});
		return { heads, losses, warnings, controller };
	}

	test("heads arrive as the node announces them", async () => {
		const node = open();
		announceOnSubscribe(node, 7);
		const { heads } = subscribe([node.wsUrl]);
		expect(await heads.next()).toBe(7);
		node.announce(8);
		expect(await heads.next()).toBe(8);
	});

	test("each request and message of a socket is counted as a call", async () => {
		const node = open();
		announceOnSubscribe(node, 7);
		const calls: string[] = [];
		let bytes = 0;
		const { heads } = subscribe([node.wsUrl], {
			onSocketCall({ method, bytes: size }) {
				calls.push(method);
				bytes += size;
			},
		});
		await heads.next();
		expect(calls).toEqual(["eth_chainId", "eth_subscribe", "eth_subscription"]);
		expect(bytes).toBeGreaterThan(100);
	});

	test("[ING-14] heads from a socket of another chain are ignored, and the next endpoint is used", async () => {
		const wrong = open(1);
		const right = open();
		announceOnSubscribe(wrong, 999);
		announceOnSubscribe(right, 7);
		const { heads, warnings } = subscribe([wrong.wsUrl, right.wsUrl]);
		expect(await heads.next()).toBe(7);
		expect(heads.rest()).toEqual([]);
		expect(await warnings.next()).toMatchObject({ reason: "it serves chain 0x1" });
	});

	test("a head that arrives before the socket named its chain is ignored", async () => {
		const node = open();
		const answer = node.socketAnswer;
		node.socketAnswer = (call) => {
			if (call.method === "eth_chainId") node.announce(666);
			return answer(call);
		};
		announceOnSubscribe(node, 7);
		const { heads } = subscribe([node.wsUrl]);
		expect(await heads.next()).toBe(7);
	});

	test("a socket that closes is opened again, and its listener is informed", async () => {
		const node = open();
		announceOnSubscribe(node, 7);
		const { heads, losses } = subscribe([node.wsUrl]);
		await heads.next();
		node.hangUp();
		expect(await losses.next()).toBe("lost");
		expect(await heads.next()).toBe(7);
		expect(node.opened()).toBe(2);
	});

	test("a socket that stays open but silent is replaced by a new one", async () => {
		const node = open();
		node.socketAnswer = () => undefined;
		const { heads, losses } = subscribe([node.wsUrl], { silenceMaxMs: 20 });
		await losses.next();
		await losses.next();
		expect(node.opened()).toBeGreaterThanOrEqual(2);
		expect(heads.rest()).toEqual([]);
	});

	test("a socket that still sends pings is kept for longer than a silent one", async () => {
		const node = open();
		announceOnSubscribe(node, 1);
		const silenceMaxMs = 2_000;
		const { heads, losses } = subscribe([node.wsUrl], { silenceMaxMs });
		await heads.next();
		const beganMs = performance.now();
		for (let block = 2; performance.now() - beganMs < silenceMaxMs * 2; block++) {
			node.announce(block);
			expect(await heads.next()).toBe(block);
			await Bun.sleep(20);
		}
		expect(losses.rest()).toEqual([]);
		expect(node.opened()).toBe(1);
	});

	test("a node that refuses to subscribe is left for the next endpoint", async () => {
		const refusing = open();
		const right = open();
		const answer = refusing.socketAnswer;
		refusing.socketAnswer = (call) =>
			call.method === "eth_subscribe"
				? JSON.stringify({ id: call.id, error: { code: -32_601, message: "no" } })
				: answer(call);
		announceOnSubscribe(right, 7);
		const { heads } = subscribe([refusing.wsUrl, right.wsUrl]);
		expect(await heads.next()).toBe(7);
	});

	test("an unreachable endpoint is retried without end, and logged once", async () => {
		const node = open();
		await node.stop();
		const { losses, warnings } = subscribe([node.wsUrl]);
		for (let attempt = 0; attempt < 4; attempt++) await losses.next();
		await warnings.next();
		expect(warnings.rest()).toEqual([]);
	});

	test("[ING-14] a socket that stalls delays no head: a second endpoint's socket is open beside it", async () => {
		const stalled = open();
		stalled.socketAnswer = () => undefined;
		const right = open();
		announceOnSubscribe(right, 7);
		const { heads, losses } = subscribe([stalled.wsUrl, right.wsUrl]);
		expect(await heads.next()).toBe(7);
		right.announce(8);
		expect(await heads.next()).toBe(8);
		expect(losses.rest()).toEqual([]);
	});

	test("[ING-14] while one of two sockets delivers heads, the loss of the other starts no polling", async () => {
		const [dying, right] = [open(), open()];
		announceOnSubscribe(dying, 7);
		announceOnSubscribe(right, 7);
		const { heads, losses, warnings } = subscribe([dying.wsUrl, right.wsUrl]);
		expect([await heads.next(), await heads.next()]).toEqual([7, 7]);
		await dying.stop();
		await warnings.next();
		right.announce(8);
		expect(await heads.next()).toBe(8);
		expect(losses.rest()).toEqual([]);
		right.hangUp();
		expect(await losses.next()).toBe("lost");
	});

	test("two of three endpoints have a socket, and the third replaces one that fails", async () => {
		const [refusing, right, spare] = [open(), open(), open()];
		const answer = refusing.socketAnswer;
		refusing.socketAnswer = (call) =>
			call.method === "eth_subscribe"
				? JSON.stringify({ id: call.id, error: { code: -32_601, message: "no" } })
				: answer(call);
		announceOnSubscribe(spare, 9);
		const { heads } = subscribe([refusing.wsUrl, right.wsUrl, spare.wsUrl]);
		expect(await heads.next()).toBe(9);
		right.announce(10);
		expect(await heads.next()).toBe(10);
		expect([right.opened(), spare.opened()]).toEqual([1, 1]);
	});

	test("a frame that is no valid message is ignored", async () => {
		const node = open();
		const answer = node.socketAnswer;
		const noise = [
			"",
			"{",
			"null",
			"7",
			"[]",
			'{"params":3}',
			'{"id":null,"params":{"result":null}}',
		];
		node.socketAnswer = (call) => (call.method === "eth_chainId" ? answer(call) : noise.pop());
		const { heads } = subscribe([node.wsUrl]);
		announceOnSubscribe(node, 7);
		expect(await heads.next()).toBe(7);
	});

	test("after the signal aborts no head is delivered and no socket opened", async () => {
		const node = open();
		announceOnSubscribe(node, 7);
		const { heads, losses, controller } = subscribe([node.wsUrl]);
		await heads.next();
		controller.abort();
		node.announce(8);
		node.hangUp();
		expect(heads.rest()).toEqual([]);
		expect(losses.rest()).toEqual([]);
		const late = subscribe([]);
		expect(late.losses.rest()).toEqual([]);
		expect(node.opened()).toBe(1);
	});
});

describe("watchHeads", () => {
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

	test("a chain without a socket is polled at once, and then again and again", async () => {
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

	test("a working socket stops polling; polling begins when the socket is silent for long", async () => {
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

	test("polling begins at once when the socket is lost", async () => {
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

	test("the begin and the end of an outage are each logged once", async () => {
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

	test("while a poll hangs no further poll starts", async () => {
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

	test("an invalid head is not passed on", async () => {
		const answers = [null, {}, "0x", fakeHeader(7)];
		const { heads } = watch(async () => (answers.length > 0 ? answers.shift() : fakeHeader(8)));
		expect(await heads.next()).toBe(7);
	});

	test("a watch whose signal is already aborted sends no request", () => {
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
});
