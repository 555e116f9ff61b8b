import { afterEach, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import { subscribeHeads } from "#core/chain/heads/subscribeHeads.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";
import { silentLog } from "#core/log/silentLog.ts";

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

test("what a socket asks and is sent is counted as calls", async () => {
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

test("[ING-14] no head of a socket that serves another chain is believed; the next one is asked", async () => {
	const wrong = open(1);
	const right = open();
	announceOnSubscribe(wrong, 999);
	announceOnSubscribe(right, 7);
	const { heads, warnings } = subscribe([wrong.wsUrl, right.wsUrl]);
	expect(await heads.next()).toBe(7);
	expect(heads.rest()).toEqual([]);
	expect(await warnings.next()).toMatchObject({ reason: "it serves chain 0x1" });
});

test("a head that comes before the socket named its chain does not count", async () => {
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

test("a socket that closes is opened again, and says so to its listener", async () => {
	const node = open();
	announceOnSubscribe(node, 7);
	const { heads, losses } = subscribe([node.wsUrl]);
	await heads.next();
	node.hangUp();
	expect(await losses.next()).toBe("lost");
	expect(await heads.next()).toBe(7);
	expect(node.opened()).toBe(2);
});

test("a socket that stays open and silent is given up for a new one", async () => {
	const node = open();
	node.socketAnswer = () => undefined;
	const { heads, losses } = subscribe([node.wsUrl], { silenceMaxMs: 20 });
	await losses.next();
	await losses.next();
	expect(node.opened()).toBeGreaterThanOrEqual(2);
	expect(heads.rest()).toEqual([]);
});

test("a socket that speaks is kept for longer than silence would be borne", async () => {
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

test("an endpoint that is away is tried again for as long as it takes, and complained of once", async () => {
	const node = open();
	await node.stop();
	const { losses, warnings } = subscribe([node.wsUrl]);
	for (let attempt = 0; attempt < 4; attempt++) await losses.next();
	await warnings.next();
	expect(warnings.rest()).toEqual([]);
});

test("[ING-14] a socket that stalls makes no head late: another endpoint's is listened to beside it", async () => {
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

test("[ING-14] while one socket speaks the loss of the other is no reason to poll", async () => {
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

test("of three endpoints two are listened to, and the third takes the place of one that fails", async () => {
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

test("what is not a message is ignored", async () => {
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

test("after the signal nothing is heard and nothing is opened", async () => {
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
