import { describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { rpcLab } from "#core/chain/rpc/testing/rpcLab.ts";

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
const block = (number: number) => ({
	method: "eth_getBlockByNumber",
	params: [hex(number), false],
});
const name = (number: number) => `eth_getBlockByNumber ${hex(number)}`;
/** Waits for background probes, which answer at once here. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("[ING-14] every endpoint is checked for its chain at the first question, and a wrong one is counted", async () => {
	const lab = rpcLab(anvil, 3);
	if (lab.endpoints[2]) lab.endpoints[2].chainId = 1;
	await lab.rpc.call(block(7));
	await settled();
	expect(lab.endpoints[1]?.asked).toEqual(["eth_chainId ", "eth_blockNumber "]);
	expect(lab.endpoints[2]?.asked).toEqual(["eth_chainId "]);
	expect(await lab.count("wrong_chain", 2)).toBe(1);
});

test("[ING-14] a clearly faster endpoint is found by itself, and then stays", async () => {
	const lab = rpcLab(anvil, 2);
	if (lab.endpoints[0]) lab.endpoints[0].durationMs = 400;
	for (let minute = 0; minute < 5; minute++) {
		await lab.rpc.call(block(7));
		await settled();
		lab.time.nowMs += 60_001;
	}
	lab.askedFor("");
	await lab.rpc.call(block(8));
	expect(lab.askedFor(name(8))).toEqual([1]);
});

test("[ING-14] a broken endpoint is asked again in the background, ever more rarely, and comes back", async () => {
	const lab = rpcLab(anvil, 2);
	const [broken] = lab.endpoints;
	if (broken) broken.down = true;
	await lab.rpc.call(block(7));
	const probes: number[] = [];
	for (let second = 1; second <= 20; second++) {
		lab.askedFor("");
		lab.time.nowMs += 1_000;
		await lab.rpc.call(block(7));
		await settled();
		if (broken?.asked.length) probes.push(second);
	}
	expect(probes.length).toBeGreaterThan(1);
	expect(probes.length).toBeLessThan(6);
	if (broken) broken.down = false;
	lab.time.nowMs += 60_000;
	await lab.rpc.call(block(7));
	await settled();
	// The other one fails now, so there is another endpoint to ask.
	if (lab.endpoints[1]) lab.endpoints[1].down = true;
	lab.askedFor("");
	expect(await lab.rpc.call(block(9))).toMatchObject({ number: hex(9) });
	expect(lab.askedFor(name(9))).toEqual([0, 1]);
});

test("[ING-14] an endpoint with a retry time is not asked, and where all have one none is", async () => {
	const lab = rpcLab(anvil, 2);
	for (const endpoint of lab.endpoints) endpoint.down = 10_000;
	await lab.rpc.call(block(7)).catch(() => {});
	lab.askedFor("");
	const failed = await lab.rpc.call(block(7)).catch((error) => error);
	expect(failed).toMatchObject({
		code: "rpc_transport",
		// Two questions of 50 ms passed since the first refusal.
		meta: { retryAfterMs: 9_950 },
	});
	expect(lab.endpoints.flatMap(({ asked }) => asked)).toEqual([]);
	for (const endpoint of lab.endpoints) endpoint.down = false;
	lab.time.nowMs += 10_001;
	expect(await lab.rpc.call(block(7))).toMatchObject({ number: hex(7) });
});

test("[ING-14] a question that finds a full queue goes to the next endpoint, and no ranking changes", async () => {
	const lab = rpcLab(anvil, 2);
	const [busy] = lab.endpoints;
	await lab.rpc.call(block(6));
	if (busy) busy.down = "paced";
	await lab.rpc.call(block(7));
	expect(lab.askedFor(name(7))).toEqual([0, 1]);
	if (busy) busy.down = false;
	await lab.rpc.call(block(8));
	expect(lab.askedFor(name(8))).toEqual([0]);
});

test("[ING-14] a block that an endpoint just lacked is asked of another", async () => {
	const lab = rpcLab(anvil, 2);
	await lab.rpc.call(block(100));
	await settled();
	if (lab.endpoints[1]) lab.endpoints[1].head = 105;
	expect(await lab.rpc.call(block(103), { minBlock: 103 })).toBeNull();
	lab.askedFor("");
	expect(await lab.rpc.call(block(103), { minBlock: 103 })).toMatchObject({ number: hex(103) });
	expect(lab.askedFor(name(103))).toEqual([1]);
	// If both have the block, the endpoint used before is asked.
	await lab.rpc.call(block(99), { minBlock: 99 });
	expect(lab.askedFor(name(99))).toEqual([0]);
});

test("[ING-14] an endpoint whose head is far ahead of all others is not trusted, and asked last", async () => {
	const lab = rpcLab(anvil, 2);
	const [liar, honest] = lab.endpoints;
	if (!liar || !honest) throw new Error("no endpoints");
	await lab.rpc.call(block(7));
	await settled();
	liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0xffffffff" : answer);
	expect(await lab.rpc.call({ method: "eth_blockNumber", params: [] })).toBe(hex(100));
	expect(await lab.count("head_too_far", 0)).toBe(1);
	honest.head = 200;
	lab.askedFor("");
	expect(await lab.rpc.call(block(150), { minBlock: 150 })).toMatchObject({ number: hex(150) });
	expect(lab.askedFor(name(150))).toEqual([1]);
});

test("[ING-14] a head far ahead that a second endpoint names as well is the chain's", async () => {
	const lab = rpcLab(anvil, 2);
	await lab.rpc.call(block(7));
	await settled();
	for (const endpoint of lab.endpoints) endpoint.head = 1_000_000;
	const head = { method: "eth_blockNumber", params: [] };
	expect(await lab.rpc.call(head)).toBe(hex(1_000_000));
	expect(await lab.rpc.call(head)).toBe(hex(1_000_000));
});

test("an endpoint that is alone is believed a head far ahead once it says it twice", async () => {
	const lab = rpcLab(anvil, 1);
	const [only] = lab.endpoints;
	if (!only) throw new Error("no endpoint");
	const head = { method: "eth_blockNumber", params: [] };
	const latest = { method: "eth_getBlockByNumber", params: ["latest", false] };
	await lab.rpc.call(head);
	const lies = [hex(10 ** 9)];
	only.tamper = ({ method }, answer) =>
		method === "eth_chainId" ? answer : (lies.pop() ?? answer);
	expect(await lab.rpc.call(head)).toBe(hex(100));
	only.head = 50_000;
	expect(await lab.rpc.call(latest)).toMatchObject({ number: hex(50_000) });
	expect(await lab.count("head_too_far", 0)).toBe(2);
});

describe("a result that its caller cannot read", () => {
	const isReadable = (result: unknown) => result === hex(5);
	const price = { method: "eth_blockNumber", params: [] };

	test("is asked of another endpoint, and counted against the one that answered it", async () => {
		const lab = rpcLab(anvil, 2);
		for (const endpoint of lab.endpoints) endpoint.head = 5;
		const [liar] = lab.endpoints;
		if (liar) liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0x" : answer);
		expect(await lab.rpc.call(price, { isReadable })).toBe(hex(5));
		expect(await lab.count("malformed", 0)).toBe(1);
		expect(await lab.rpc.batch([price], { isReadable })).toEqual([hex(5)]);
		expect(await lab.rpc.settle([price], { isReadable })).toMatchObject([{ result: hex(5) }]);
		expect(await lab.count("malformed", 0)).toBe(1);
	});

	test("of no endpoint is a failure: of its own where the calls stand for themselves", async () => {
		const lab = rpcLab(anvil, 2);
		const failed = await lab.rpc.call(price, { isReadable }).catch((error) => error.code);
		expect(failed).toBe("rpc_unreadable");
		const settled = await lab.rpc.settle([price, block(7)], {
			isReadable: (result, index) => index === 1 || isReadable(result),
		});
		expect(settled).toMatchObject([
			{ kind: "fault", fault: { code: "rpc_unreadable" } },
			{ kind: "result", result: { number: hex(7) } },
		]);
	});

	test("is asked once more where there is no other endpoint", async () => {
		const lab = rpcLab(anvil, 1);
		const [only] = lab.endpoints;
		if (!only) throw new Error("no endpoint");
		only.head = 5;
		const lies = ["0x"];
		only.tamper = ({ method }, answer) => {
			return method === "eth_blockNumber" ? (lies.pop() ?? answer) : answer;
		};
		expect(await lab.rpc.call(price, { isReadable })).toBe(hex(5));
	});

	test("does not count in a quorum", async () => {
		const lab = rpcLab(anvil, 3, { quorum: 2 });
		for (const endpoint of lab.endpoints) endpoint.head = 5;
		const [liar] = lab.endpoints;
		if (liar) liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0x" : answer);
		expect(await lab.rpc.call(price, { isReadable, quorum: true })).toBe(hex(5));
		expect(await lab.count("malformed", 0)).toBe(1);
	});
});

test("[ING-14] an endpoint with an impossible answer is counted, logged once, and asked last for a while", async () => {
	const lab = rpcLab(anvil, 2);
	await lab.rpc.call(block(7));
	lab.rpc.distrust("missing_logs");
	lab.rpc.distrust("missing_logs");
	expect(await lab.count("missing_logs", 0)).toBe(2);
	expect(await lab.count("missing_logs", 1)).toBe(0);
	expect(lab.warnings).toEqual([{ chain: "anvil", endpoint: "node0", kind: "missing_logs" }]);
	lab.askedFor("");
	await lab.rpc.call(block(8));
	expect(lab.askedFor(name(8))).toEqual([1]);
	// Still the last resort.
	if (lab.endpoints[1]) lab.endpoints[1].down = true;
	await lab.rpc.call(block(9));
	expect(lab.askedFor(name(9))).toEqual([0, 1]);
});

test("[ING-14] a head that jumps back is counted", async () => {
	const lab = rpcLab(anvil, 1);
	const latest = { method: "eth_getBlockByNumber", params: ["latest", false] };
	await lab.rpc.call(latest);
	if (lab.endpoints[0]) lab.endpoints[0].head = 90;
	await lab.rpc.call(latest);
	expect(await lab.count("head_jumped_back", 0)).toBe(1);
});

test("[ING-14] a second opinion comes from an endpoint that was not heard, whoever else asks meanwhile", async () => {
	const lab = rpcLab(anvil, 2);
	await lab.rpc.call(block(6));
	lab.askedFor("");
	const heard = new Set<string>();
	await lab.rpc.call(block(7), { heard });
	expect(lab.askedFor(name(7))).toEqual([0]);
	// Another caller's second opinion: now the other endpoint served last.
	await lab.rpc.call(block(8), { second: true });
	await lab.rpc.call(block(9), { second: true, heard });
	expect(lab.askedFor(name(9))).toEqual([1]);
	expect(heard.size).toBe(2);
});
