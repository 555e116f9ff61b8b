import { afterEach, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { createLabTime } from "#core/chain/rpc/budget/testing/budgetLab.ts";
import { createCallBudget } from "#core/chain/rpc/callBudget.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { type Rpc, type RpcCall, withPurpose } from "#core/chain/rpc/Rpc.ts";
import { answering, type FakeNode, fakeNode, hex } from "#core/chain/rpc/testing/fakeNode.ts";
import { rpcLab } from "#core/chain/rpc/testing/rpcLab.ts";
import { localTimeline } from "#core/chain/rpc/timelines.ts";
import { silentLog } from "#core/log.ts";

describe("chainRpc.limits", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;

	type Asked = { id: number; method: string; params: unknown[] };

	type NodeOptions = {
		/** The most calls per second of the node's clock. */
		allowed: number;
		refuse?: (asked: readonly Asked[]) => Response;
		headers?: Record<string, string>;
		batchMax?: number;
		perSecondMax?: number;
		/** The time of a round trip. */
		delayMs?: number;
		/** The call that is answered with an error. */
		failsAt?: number;
	};

	const tooMany = (headers: Record<string, string> = {}) =>
		new Response("slow down", { status: 429, headers });

	/**
	 * Makes one endpoint that counts calls by its own second, on a clock that only the test moves.
	 */
	function limitedNode(options: NodeOptions) {
		const {
			allowed,
			refuse = () => tooMany({ "retry-after": "1" }),
			perSecondMax = null,
			delayMs = 0,
		} = options;
		const time = createLabTime({ readsAnswers: true });
		const { clock, wait } = time;
		const counts = { answered: 0, refused: 0, second: 0, inSecond: 0 };
		const answer = async (_: unknown, init?: RequestInit) => {
			const parsed: Asked | Asked[] = JSON.parse(String(init?.body));
			const asked = [parsed].flat();
			const second = Math.floor(clock.nowMs() / 1_000);
			if (second !== counts.second) Object.assign(counts, { second, inSecond: 0 });
			const isAllowed = counts.inSecond + asked.length <= allowed;
			if (isAllowed) {
				counts.inSecond += asked.length;
				counts.answered += asked.length;
			} else counts.refused++;
			if (delayMs > 0) await wait(delayMs);
			if (!isAllowed) return refuse(asked);
			const body = asked.slice(0, options.batchMax).map(({ id, method, params }) => {
				const isWrong = options.failsAt !== undefined && params[0] === options.failsAt;
				if (isWrong) return { jsonrpc: "2.0", id, error: { message: "no" } };
				return { jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x7a69" : params[0] };
			});
			const { headers = {} } = options;
			return Response.json(Array.isArray(parsed) ? body : body[0], { headers });
		};
		const timeline = localTimeline(clock);
		const budget = createCallBudget({ clock, wait, timeline, perSecondMax });
		const rpc = chainRpc({
			chain: anvil,
			clock,
			log: silentLog,
			endpoints: [
				{
					name: "node",
					open: (observer) =>
						httpRpc({
							url: "http://node.invalid",
							timeoutMs: 60_000,
							batchMax: 250,
							concurrencyMax: 4,
							bodyBytesMax: 1_000_000,
							budget,
							isAlone: true,
							observer,
							fetch: answer as typeof fetch,
						}),
				},
			],
		});
		return { rpc, counts, time };
	}

	const numbered = (count: number): RpcCall[] =>
		Array.from({ length: count }, (_, index) => ({ method: "m", params: [index] }));

	/** Returns the seconds until all calls are answered, with a new try each second, as lanes do. */
	async function secondsFor(
		{ rpc, time }: Pick<ReturnType<typeof limitedNode>, "rpc" | "time">,
		calls: number,
		secondsMax: number,
	): Promise<number> {
		const beganMs = time.clock.nowMs();
		const answers: unknown[][] = [];
		let isAsking = false;
		const ask = () => {
			isAsking = true;
			const asked = withPurpose(rpc, "catch_up").batch(numbered(calls));
			asked.then(
				(results) => {
					answers.push(results);
				},
				() => {
					isAsking = false;
				},
			);
		};
		while (answers.length === 0 && time.clock.nowMs() - beganMs < secondsMax * 1_000) {
			if (!isAsking) ask();
			await time.advance(1_000);
		}
		expect(answers[0]).toEqual(numbered(calls).map(({ params }) => params[0]));
		return (time.clock.nowMs() - beganMs) / 1_000;
	}

	const misbehaving: Record<string, [NodeOptions, secondsMax: number]> = {
		"a 429 without a word of when": [{ allowed: 100, refuse: () => tooMany() }, 60],
		"a 429 that says at once": [
			{ allowed: 100, refuse: () => tooMany({ "retry-after": "0" }) },
			60,
		],
		"a 429 that says in ten years": [
			{ allowed: 100, refuse: () => tooMany({ "retry-after": "315360000" }) },
			3_600,
		],
		"a 429 that says a text": [
			{ allowed: 100, refuse: () => tooMany({ "retry-after": "when pigs fly" }) },
			60,
		],
		"errors inside of its answers": [
			{
				allowed: 100,
				refuse: (asked) =>
					Response.json(
						asked.map(({ id }) => ({
							id,
							error: { code: 429, message: "compute units per second" },
						})),
					),
			},
			60,
		],
		"an allowance that is never used up, in its headers": [
			{ allowed: 100, headers: { "x-ratelimit-remaining": "1000000" } },
			60,
		],
		"no allowance at all in its headers, and answers": [
			{
				allowed: 100,
				headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" },
			},
			60,
		],
		"batches cut at 20": [{ allowed: 100, batchMax: 20 }, 60],
		"less than is set": [{ allowed: 30, perSecondMax: 100 }, 90],
	};
	for (const [what, [options, secondsMax]] of Object.entries(misbehaving)) {
		test(`the limit of a node with ${what} is learned: all calls are answered, the next ones soon`, async () => {
			const node = limitedNode(options);
			await secondsFor(node, 600, secondsMax);
			expect(await secondsFor(node, 600, 3_600)).toBeLessThan(60);
		});
	}

	test("one batch uses up a far node's allowance, though a round trip takes as long as 40 calls", async () => {
		const node = limitedNode({ allowed: 100, perSecondMax: 100, delayMs: 400 });
		expect(await secondsFor(node, 600, 60)).toBeLessThanOrEqual(8);
		expect(node.counts.refused).toBe(0);
	});

	test("of a batch in order no call is sent before the ones below it are answered", async () => {
		const node = limitedNode({ allowed: 100, perSecondMax: 100, delayMs: 400 });
		const asked = node.rpc.batch(numbered(20), { inOrder: true });
		await node.time.advance(1_000);
		expect(node.counts.answered).toBeLessThan(20);
		await node.time.advance(2_000);
		expect(await asked).toHaveLength(20);
	});

	test("after a call that a far node refuses, the rest of its batch is not sent", async () => {
		const node = limitedNode({ allowed: 100, perSecondMax: 100, delayMs: 100, failsAt: 10 });
		const failed = node.rpc.batch(numbered(250)).catch((error) => error);
		await node.time.advance(10_000);
		expect(await failed).toMatchObject({ code: "rpc_refused" });
		expect(node.counts.answered).toBeLessThan(60);
	});

	test("at the rate that the operator set, a node refuses no call", async () => {
		const node = limitedNode({ allowed: 100, perSecondMax: 100 });
		expect(await secondsFor(node, 1_200, 60)).toBeLessThan(15);
		expect(node.counts.refused).toBe(0);
	});

	test("a call for an intent is answered while a catch-up uses the whole allowance", async () => {
		const node = limitedNode({ allowed: 100, perSecondMax: 100 });
		const { rpc, time } = node;
		const catchUp = withPurpose(rpc, "catch_up").batch(numbered(2_000));
		const names = withPurpose(rpc, "names").batch(numbered(20));
		await time.advance(3_000);
		const intents: Rpc = withPurpose(rpc, "intents");
		let isDone = false;
		const intent = intents.batch(numbered(5)).then(() => {
			isDone = true;
		});
		await time.advance(150);
		expect(isDone).toBe(true);
		await intent;
		let hasNames = false;
		void names.then(() => {
			hasNames = true;
		});
		await time.advance(5_000);
		// Names have a twentieth: 20 calls in four seconds.
		expect(hasNames).toBe(true);
		await time.advance(20_000);
		expect(await catchUp).toHaveLength(2_000);
		expect(node.counts.refused).toBe(0);
	});
});

describe("chainRpc.pool", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
	const block = (number: number) => ({
		method: "eth_getBlockByNumber",
		params: [hex(number), false],
	});
	const name = (number: number) => `eth_getBlockByNumber ${hex(number)}`;
	/** Waits for background probes, which answer at once here. */
	const settled = () => new Promise((resolve) => setImmediate(resolve));

	test("[ING-14] the first call checks the chain of every endpoint, and counts a wrong one", async () => {
		const lab = rpcLab(anvil, 3);
		if (lab.endpoints[2]) lab.endpoints[2].chainId = 1;
		await lab.rpc.call(block(7));
		await settled();
		expect(lab.endpoints[1]?.asked).toEqual(["eth_chainId ", "eth_blockNumber "]);
		expect(lab.endpoints[2]?.asked).toEqual(["eth_chainId "]);
		expect(await lab.count("wrong_chain", 2)).toBe(1);
	});

	test("[ING-14] a clearly faster endpoint becomes the first by itself, and stays first", async () => {
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

	test("[ING-14] a failed endpoint is checked in the background, ever less often, and is used again", async () => {
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

	test("[ING-14] an endpoint with a retry time is not called; if all have one, no endpoint is", async () => {
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

	test("[ING-14] a call that meets a full queue goes to the next endpoint, and the ranking is unchanged", async () => {
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

	test("[ING-14] a block that one endpoint lacked is requested from another", async () => {
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

	test("[ING-14] an endpoint whose head is far ahead of all others is not believed, and ranked last", async () => {
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

	test("[ING-14] a head far ahead is believed once a second endpoint reports it", async () => {
		const lab = rpcLab(anvil, 2);
		await lab.rpc.call(block(7));
		await settled();
		for (const endpoint of lab.endpoints) endpoint.head = 1_000_000;
		const head = { method: "eth_blockNumber", params: [] };
		expect(await lab.rpc.call(head)).toBe(hex(1_000_000));
		expect(await lab.rpc.call(head)).toBe(hex(1_000_000));
	});

	test("a single endpoint's head far ahead is believed at its second report", async () => {
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

		test("an unreadable result is requested from another endpoint, and counted against the first one", async () => {
			const lab = rpcLab(anvil, 2);
			for (const endpoint of lab.endpoints) endpoint.head = 5;
			const [liar] = lab.endpoints;
			if (liar)
				liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0x" : answer);
			expect(await lab.rpc.call(price, { isReadable })).toBe(hex(5));
			expect(await lab.count("malformed", 0)).toBe(1);
			expect(await lab.rpc.batch([price], { isReadable })).toEqual([hex(5)]);
			expect(await lab.rpc.settle([price], { isReadable })).toMatchObject([{ result: hex(5) }]);
			expect(await lab.count("malformed", 0)).toBe(1);
		});

		test("a result that is unreadable from every endpoint is a failure", async () => {
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

		test("an unreadable result is requested once more if there is no other endpoint", async () => {
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

		test("an unreadable result does not count in a quorum", async () => {
			const lab = rpcLab(anvil, 3, { quorum: 2 });
			for (const endpoint of lab.endpoints) endpoint.head = 5;
			const [liar] = lab.endpoints;
			if (liar)
				liar.tamper = ({ method }, answer) => (method === "eth_blockNumber" ? "0x" : answer);
			expect(await lab.rpc.call(price, { isReadable, quorum: true })).toBe(hex(5));
			expect(await lab.count("malformed", 0)).toBe(1);
		});
	});

	test("a contradiction is counted against the endpoints of its answers, whoever answered since", async () => {
		const lab = rpcLab(anvil, 2);
		const heard = new Set<string>();
		await lab.rpc.call(block(7), { heard });
		await lab.rpc.call(block(7), { second: true, heard: new Set(heard) });
		lab.rpc.distrust("false_count", heard);
		expect([await lab.count("false_count", 0), await lab.count("false_count", 1)]).toEqual([1, 0]);
		lab.rpc.distrust("false_count", new Set());
		expect(await lab.count("false_count", 1)).toBe(0);
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

	test("[ING-14] a head that jumps back is counted against its endpoint", async () => {
		const lab = rpcLab(anvil, 1);
		const latest = { method: "eth_getBlockByNumber", params: ["latest", false] };
		await lab.rpc.call(latest);
		if (lab.endpoints[0]) lab.endpoints[0].head = 90;
		await lab.rpc.call(latest);
		expect(await lab.count("head_jumped_back", 0)).toBe(1);
	});

	test("[ING-14] a second opinion comes from an endpoint that was not asked before, also beside other calls", async () => {
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
});

describe("chainRpc.quorum", () => {
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

	test("[ING-14] a quorum asks as many endpoints as must agree, for call, batch and settle", async () => {
		const lab = rpcLab(anvil, 3, { quorum: 2 });
		expect(await lab.rpc.call(block(7), { quorum: true })).toMatchObject({ number: hex(7) });
		expect(lab.askedFor(name(7))).toEqual([0, 1]);
		expect(await lab.rpc.batch([block(7), block(8)], { quorum: true })).toHaveLength(2);
		expect(lab.askedFor(name(8))).toEqual([0, 1]);
		expect(await lab.rpc.settle([block(9)], { quorum: true })).toMatchObject([{ kind: "result" }]);
		expect(lab.askedFor(name(9))).toEqual([0, 1]);
	});

	test("one endpoint is enough unless both the question and the deployment ask for a quorum", async () => {
		const lab = rpcLab(anvil, 2, { quorum: 2 });
		await lab.rpc.call(block(7));
		expect(lab.askedFor(name(7))).toEqual([0]);
		const single = rpcLab(anvil, 2);
		await single.rpc.call(block(7), { quorum: true });
		expect(single.askedFor(name(7))).toEqual([0]);
	});

	test("[ING-14] a forged head is outvoted, and its endpoint counted", async () => {
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

	test("[ING-14] two endpoints that contradict each other give no answer", async () => {
		const lab = rpcLab(anvil, 2, { quorum: 2 });
		if (lab.endpoints[0]) lab.endpoints[0].tamper = forge;
		expect(await code(lab.rpc.batch([block(7)], { quorum: true }))).toBe("rpc_disagreement");
		expect([await lab.count("disagreement", 0), await lab.count("disagreement", 1)]).toEqual([
			1, 1,
		]);
	});

	test("[ING-14] an endpoint that lags does not contradict: it is waited for, and not counted", async () => {
		const lab = rpcLab(anvil, 2, { quorum: 2 });
		if (lab.endpoints[1]) lab.endpoints[1].head = 90;
		const asked = () => lab.rpc.call(block(95), { quorum: true, minBlock: 95 });
		expect(await code(asked())).toBe("rpc_transport");
		expect(await lab.count("disagreement", 1)).toBe(0);
		if (lab.endpoints[1]) lab.endpoints[1].head = 95;
		expect(await asked()).toMatchObject({ number: hex(95) });
	});

	test("[ING-14] fields in which honest nodes differ can be left out of the comparison", async () => {
		const lab = rpcLab(anvil, 2, { quorum: 2 });
		for (const [index, endpoint] of lab.endpoints.entries()) {
			endpoint.tamper = (_, answer) =>
				typeof answer === "object" ? { ...answer, totalDifficulty: hex(index) } : answer;
		}
		expect(await code(lab.rpc.call(block(7), { quorum: true }))).toBe("rpc_disagreement");
		const digest = (result: unknown) => String(Object(result).hash);
		expect(await lab.rpc.call(block(7), { quorum: { digest } })).toMatchObject({ number: hex(7) });
	});

	test("an answer put together from several endpoints is compared with all of them", async () => {
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
});

describe("chainRpc", () => {
	const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;
	const nodes: FakeNode[] = [];
	afterEach(async () => {
		for (const node of nodes.splice(0)) await node.stop();
	});

	function make(count: number, log = silentLog) {
		const made = Array.from({ length: count }, (_, index) => {
			const node = fakeNode();
			node.answer = answering(({ method }) =>
				method === "eth_chainId" ? hex(anvil.id) : `from ${index}`,
			);
			return node;
		});
		nodes.push(...made);
		const limits = { timeoutMs: 2_000, batchMax: 10, concurrencyMax: 2, bodyBytesMax: 10_000 };
		const endpoints = made.map((node, index) => ({
			name: `node ${index}`,
			open: () => httpRpc({ url: node.url, ...limits }),
		}));
		// Time stands still, and no endpoint is probed.
		const clock = { nowMs: () => 0 };
		const probeAfterMs = Number.POSITIVE_INFINITY;
		return { nodes: made, rpc: chainRpc({ chain: anvil, endpoints, log, clock, probeAfterMs }) };
	}

	const call = { method: "eth_blockNumber", params: [] };
	const failure = (promise: Promise<unknown>): Promise<{ code?: string }> =>
		promise.then(
			() => ({}),
			(error) => error,
		);
	const down = () => new Response("away", { status: 503 });
	const asked = (node?: FakeNode) =>
		node?.requests.map((body) => (Array.isArray(body) ? "batch" : body.method));

	test("[ING-14] the next endpoint answers when one fails, and is asked first from then on", async () => {
		const { nodes, rpc } = make(3);
		expect(await rpc.call(call)).toBe("from 0");
		if (nodes[0]) nodes[0].answer = down;
		expect(await rpc.call(call)).toBe("from 1");
		expect(await rpc.batch([call, call])).toEqual(["from 1", "from 1"]);
		expect(asked(nodes[0])).toHaveLength(3);
		expect(asked(nodes[2])).toEqual([]);
	});

	test("[ING-14] an endpoint of another chain gets no call except eth_chainId", async () => {
		const said: string[] = [];
		const log = { ...silentLog, error: (message: string) => said.push(message) };
		const { nodes, rpc } = make(2, log);
		if (nodes[0]) nodes[0].answer = answering(() => "0x1");
		expect(await rpc.call(call)).toBe("from 1");
		expect(asked(nodes[0])).toEqual(["eth_chainId"]);
		expect(said).toEqual(["an RPC endpoint serves another chain"]);
	});

	test("[ING-14] an endpoint that failed must name its chain again before it is believed", async () => {
		const { nodes, rpc } = make(1);
		const [node] = nodes;
		const honest = node?.answer ?? down;
		await rpc.call(call);
		if (node) node.answer = down;
		await expect(rpc.call(call)).rejects.toMatchObject({ code: "rpc_transport" });
		// It is back, but leads to another chain.
		if (node) node.answer = answering(() => "0x1");
		const failed = await failure(rpc.call(call));
		expect(failed.code).toBe("rpc_wrong_chain");
		if (node) node.answer = honest;
		expect(await rpc.call(call)).toBe("from 0");
	});

	test("a node's refusal is final: no other endpoint is called", async () => {
		const { nodes, rpc } = make(2);
		await rpc.call(call);
		if (nodes[0]) {
			nodes[0].answer = () =>
				Response.json({ id: null, error: { code: -32_000, message: "unknown block" } });
		}
		const failed = await failure(rpc.call(call));
		expect(failed.code).toBe("rpc_refused");
		expect(asked(nodes[1])).toEqual([]);
	});

	test("[ING-14] an endpoint that refuses eth_chainId too, as with an expired key, is skipped", async () => {
		const { nodes, rpc } = make(2);
		if (nodes[0]) {
			nodes[0].answer = () =>
				Response.json({ id: null, error: { code: -32_000, message: "invalid API key" } });
		}
		expect(await rpc.call(call)).toBe("from 1");
		expect(asked(nodes[0])).toEqual(["eth_chainId"]);
	});

	test("a call fails as a transport fault when all endpoints are down, after each was tried", async () => {
		const { nodes, rpc } = make(3);
		for (const node of nodes) node.answer = down;
		const failed = await failure(rpc.call(call));
		expect(failed.code).toBe("rpc_transport");
		expect(nodes.map((node) => node.requests.length)).toEqual([1, 1, 1]);
	});

	test("for a caller that gave up, no further endpoint is called", async () => {
		const { nodes, rpc } = make(2);
		if (nodes[0]) nodes[0].answer = () => undefined;
		const stopping = new AbortController();
		const failed = failure(rpc.call(call, { signal: stopping.signal }));
		stopping.abort();
		expect((await failed).code).toBe("rpc_transport");
		expect(asked(nodes[1])).toEqual([]);
	});

	test("the statistics add up all endpoints", async () => {
		const { nodes, rpc } = make(2);
		await rpc.call(call);
		if (nodes[0]) nodes[0].answer = down;
		await rpc.call(call);
		expect(rpc.stats()).toMatchObject({ requests: 5, calls: 5 });
	});
});
