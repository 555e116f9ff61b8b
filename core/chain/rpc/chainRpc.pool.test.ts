import { expect, test } from "bun:test";
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
/** Lets background probes, which answer at once here, come to their end. */
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
	// The other one fails now, and there is somebody to ask.
	if (lab.endpoints[1]) lab.endpoints[1].down = true;
	lab.askedFor("");
	expect(await lab.rpc.call(block(9))).toMatchObject({ number: hex(9) });
	expect(lab.askedFor(name(9))).toEqual([0, 1]);
});

test("[ING-14] who asks to be left alone is, and where all do nobody is asked", async () => {
	const lab = rpcLab(anvil, 2);
	for (const endpoint of lab.endpoints) endpoint.down = 10_000;
	await lab.rpc.call(block(7)).catch(() => {});
	lab.askedFor("");
	const failed = await lab.rpc.call(block(7)).catch((error) => error);
	expect(failed).toMatchObject({
		code: "rpc_transport",
		// Two questions of 50 ms went by since the first of them said so.
		meta: { retryAfterMs: 9_950 },
	});
	expect(lab.endpoints.flatMap(({ asked }) => asked)).toEqual([]);
	for (const endpoint of lab.endpoints) endpoint.down = false;
	lab.time.nowMs += 10_001;
	expect(await lab.rpc.call(block(7))).toMatchObject({ number: hex(7) });
});

test("[ING-14] a queue too long for one more question sends that on, and costs nobody its place", async () => {
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
	// What both have is asked of who was asked before.
	await lab.rpc.call(block(99), { minBlock: 99 });
	expect(lab.askedFor(name(99))).toEqual([0]);
});

test("[ING-14] an endpoint whose head is far ahead of the truth is believed only until it must show it", async () => {
	const lab = rpcLab(anvil, 2);
	const [liar] = lab.endpoints;
	if (liar) {
		liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0xffffffff" : answer);
	}
	await lab.rpc.call({ method: "eth_blockNumber", params: [] });
	if (lab.endpoints[1]) lab.endpoints[1].head = 200;
	expect(await lab.rpc.call(block(150), { minBlock: 150 })).toBeNull();
	// It claimed so much that one missing block looks like pruned history: distrust settles it.
	lab.rpc.distrust("head_jumped_back");
	expect(await lab.rpc.call(block(150), { minBlock: 150 })).toMatchObject({ number: hex(150) });
});

test("[ING-14] who told what cannot be so is counted, said once, and asked last for a while", async () => {
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
