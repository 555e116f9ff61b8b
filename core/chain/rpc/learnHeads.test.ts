import { expect, test } from "bun:test";
import { createEndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import { learnHeads } from "#core/chain/rpc/learnHeads.ts";
import { fakeHeader, hex } from "#core/chain/rpc/testing/fakeNode.ts";

const block = (at: unknown) => ({ method: "eth_getBlockByNumber", params: [at, false] });
const number = { method: "eth_blockNumber", params: [] };
const at = { bestBlock: 0, nowMs: 0 };

test("[ING-14] what an endpoint answers says which blocks it has", () => {
	const health = createEndpointHealth();
	learnHeads(health, { calls: [block(hex(7))], results: [fakeHeader(7)] }, at);
	expect(health.headBlock()).toBe(7);
	learnHeads(health, { calls: [block(hex(9)), block(hex(8))], results: [null, fakeHeader(8)] }, at);
	expect([health.headBlock(), health.knows(9, 0)]).toEqual([8, "lacks"]);
	learnHeads(health, { calls: [number], results: [hex(20)] }, at);
	expect(health.headBlock()).toBe(20);
	learnHeads(health, { calls: [block("latest")], results: [fakeHeader(21)] }, at);
	expect(health.headBlock()).toBe(21);
});

test("[ING-14] a head that jumps back is noticed, a block from the past is none", () => {
	const health = createEndpointHealth();
	const latest = (head: number) =>
		learnHeads(health, { calls: [block("latest")], results: [fakeHeader(head)] }, at);
	expect([latest(10), latest(10), latest(11), latest(9)]).toEqual([false, false, false, true]);
	const past = { calls: [block(hex(3))], results: [fakeHeader(3)] };
	expect(learnHeads(health, past, at)).toBe(false);
});

test("what is no answer, or no answer to that, teaches nothing", () => {
	const health = createEndpointHealth();
	const calls = [
		block("safe"),
		block("latest"),
		number,
		number,
		{ method: "eth_call", params: [] },
	];
	const results = [fakeHeader(9), null, "0xzz", undefined, "0x99"];
	expect(learnHeads(health, { calls, results }, at)).toBe(false);
	expect(health.headBlock()).toBe(-1);
});
