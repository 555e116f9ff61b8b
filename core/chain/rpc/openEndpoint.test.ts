import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createEndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import { createPacer, learnHeads } from "#core/chain/rpc/openEndpoint.ts";
import { fakeHeader, hex } from "#core/chain/rpc/testing/fakeNode.ts";

describe("createPacer", () => {
	function lab(requestsPerSecondMax: number) {
		const time = { nowMs: 0 };
		const waits: number[] = [];
		const pacer = createPacer({
			requestsPerSecondMax,
			clock: { nowMs: () => time.nowMs },
			wait: async (ms) => void waits.push(ms),
		});
		return { time, waits, pacer };
	}

	test("[ING-14] no second holds more requests than are allowed, whenever they come", async () => {
		const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 });
		await fc.assert(
			fc.asyncProperty(gaps, fc.integer({ min: 5, max: 50 }), async (arrivals, perSecond) => {
				const { time, waits, pacer } = lab(perSecond);
				const startsMs: number[] = [];
				for (const gapMs of arrivals) {
					time.nowMs += gapMs;
					waits.length = 0;
					await pacer.turn();
					startsMs.push(time.nowMs + (waits[0] ?? 0));
				}
				for (const [index, startMs] of startsMs.entries()) {
					const later = startsMs[index + perSecond];
					if (later !== undefined) expect(later - startMs).toBeGreaterThanOrEqual(999.999);
				}
			}),
		);
	});

	test("a request after an idle time is sent at once", async () => {
		const { time, waits, pacer } = lab(2);
		await pacer.turn();
		time.nowMs += 500;
		await pacer.turn();
		expect(waits).toEqual([]);
		await pacer.turn();
		expect(waits).toEqual([500]);
	});

	test("a queue that is too long refuses a request, as a transport fault that counts against nobody", async () => {
		const { pacer } = lab(1);
		for (let request = 0; request <= 10; request++) await pacer.turn();
		const failed = await pacer.turn().catch((error) => error);
		expect(failed).toMatchObject({ code: "rpc_transport", meta: { paced: true } });
	});
});

describe("learnHeads", () => {
	const block = (at: unknown) => ({ method: "eth_getBlockByNumber", params: [at, false] });
	const number = { method: "eth_blockNumber", params: [] };
	const at = { bestBlock: 0, nowMs: 0 };

	test("[ING-14] an endpoint's answers show which blocks it has", () => {
		const health = createEndpointHealth();
		learnHeads(health, { calls: [block(hex(7))], results: [fakeHeader(7)] }, at);
		expect(health.headBlock()).toBe(7);
		learnHeads(
			health,
			{ calls: [block(hex(9)), block(hex(8))], results: [null, fakeHeader(8)] },
			at,
		);
		expect([health.headBlock(), health.knows(9, 0)]).toEqual([8, "lacks"]);
		learnHeads(health, { calls: [number], results: [hex(20)] }, at);
		expect(health.headBlock()).toBe(20);
		learnHeads(health, { calls: [block("latest")], results: [fakeHeader(21)] }, at);
		expect(health.headBlock()).toBe(21);
	});

	test("[ING-14] a head that jumps back is reported, a request for an old block is not", () => {
		const health = createEndpointHealth();
		const latest = (head: number) =>
			learnHeads(health, { calls: [block("latest")], results: [fakeHeader(head)] }, at);
		expect([latest(10), latest(10), latest(11), latest(9)]).toEqual([false, false, false, true]);
		const past = { calls: [block(hex(3))], results: [fakeHeader(3)] };
		expect(learnHeads(health, past, at)).toBe(false);
	});

	test("an answer that is missing, or of another kind, does not change an endpoint's head", () => {
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
});
