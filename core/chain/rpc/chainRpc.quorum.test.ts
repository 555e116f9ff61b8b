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
const code = (promise: Promise<unknown>) =>
	promise.then(
		() => "answered",
		(error) => error.code,
	);
const forge = (_: unknown, answer: unknown) =>
	typeof answer === "object" ? { ...answer, hash: `0x${"66".repeat(32)}` } : answer;

test("[ING-14] a quorum asks as many endpoints as must agree, in each way of asking", async () => {
	const lab = rpcLab(anvil, 3, { quorum: 2 });
	expect(await lab.rpc.call(block(7), { quorum: true })).toMatchObject({ number: hex(7) });
	expect(lab.askedFor(name(7))).toEqual([0, 1]);
	expect(await lab.rpc.batch([block(7), block(8)], { quorum: true })).toHaveLength(2);
	expect(lab.askedFor(name(8))).toEqual([0, 1]);
	expect(await lab.rpc.settle([block(9)], { quorum: true })).toMatchObject([{ kind: "result" }]);
	expect(lab.askedFor(name(9))).toEqual([0, 1]);
});

test("without a quorum in the question or the deployment one endpoint is enough", async () => {
	const lab = rpcLab(anvil, 2, { quorum: 2 });
	await lab.rpc.call(block(7));
	expect(lab.askedFor(name(7))).toEqual([0]);
	const single = rpcLab(anvil, 2);
	await single.rpc.call(block(7), { quorum: true });
	expect(single.askedFor(name(7))).toEqual([0]);
});

test("[ING-14] a forged head is outvoted, and its author counted", async () => {
	const lab = rpcLab(anvil, 3, { quorum: 2 });
	if (lab.endpoints[0]) lab.endpoints[0].tamper = forge;
	const header = await lab.rpc.call(block(7), { quorum: true });
	expect(header).toMatchObject({ hash: `0x${(7).toString(16).padStart(64, "0")}` });
	expect(await lab.count("disagreement", 0)).toBe(1);
	expect(await lab.count("disagreement", 1)).toBe(0);
	// It may have been right, one block early: that alone does not rank it last.
	lab.askedFor("");
	await lab.rpc.call(block(8));
	expect(lab.askedFor(name(8))).toEqual([0]);
});

test("[ING-14] two endpoints that contradict each other answer nothing", async () => {
	const lab = rpcLab(anvil, 2, { quorum: 2 });
	if (lab.endpoints[0]) lab.endpoints[0].tamper = forge;
	expect(await code(lab.rpc.batch([block(7)], { quorum: true }))).toBe("rpc_disagreement");
	expect([await lab.count("disagreement", 0), await lab.count("disagreement", 1)]).toEqual([1, 1]);
});

test("[ING-14] an endpoint that lags is no contradiction: it is waited for, not counted", async () => {
	const lab = rpcLab(anvil, 2, { quorum: 2 });
	if (lab.endpoints[1]) lab.endpoints[1].head = 90;
	const asked = () => lab.rpc.call(block(95), { quorum: true, minBlock: 95 });
	expect(await code(asked())).toBe("rpc_transport");
	expect(await lab.count("disagreement", 1)).toBe(0);
	if (lab.endpoints[1]) lab.endpoints[1].head = 95;
	expect(await asked()).toMatchObject({ number: hex(95) });
});

test("[ING-14] what honest nodes differ in may be left out of the comparison", async () => {
	const lab = rpcLab(anvil, 2, { quorum: 2 });
	for (const [index, endpoint] of lab.endpoints.entries()) {
		endpoint.tamper = (_, answer) =>
			typeof answer === "object" ? { ...answer, totalDifficulty: hex(index) } : answer;
	}
	expect(await code(lab.rpc.call(block(7), { quorum: true }))).toBe("rpc_disagreement");
	const digest = (result: unknown) => String(Object(result).hash);
	expect(await lab.rpc.call(block(7), { quorum: { digest } })).toMatchObject({ number: hex(7) });
});

test("an answer that several served is held against all of them", async () => {
	const lab = rpcLab(anvil, 3, { quorum: 2 });
	await lab.rpc.call(block(7), { quorum: true });
	lab.rpc.distrust("hash_mismatch");
	expect([await lab.count("hash_mismatch", 0), await lab.count("hash_mismatch", 1)]).toEqual([
		1, 1,
	]);
	lab.askedFor("");
	await lab.rpc.call(block(8));
	expect(lab.askedFor(name(8))).toEqual([2]);
});
