import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { createCallBudget } from "#core/chain/rpc/budget/createCallBudget.ts";
import { localTimeline } from "#core/chain/rpc/budget/localTimeline.ts";
import { createLabTime } from "#core/chain/rpc/budget/testing/budgetLab.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { withPurpose } from "#core/chain/rpc/withPurpose.ts";
import { silentLog } from "#core/log/silentLog.ts";

const anvil = builtinChains.find(({ slug }) => slug === "anvil") as Chain;

type Asked = { id: number; method: string; params: unknown[] };

type NodeOptions = {
	/** The most calls per second of the node's clock. */
	allowed: number;
	refuse?: (asked: readonly Asked[]) => Response;
	headers?: Record<string, string>;
	batchMax?: number;
	perSecondMax?: number;
};

const tooMany = (headers: Record<string, string> = {}) =>
	new Response("slow down", { status: 429, headers });

/** Makes one endpoint that counts calls by its own second, on a clock that only the test moves. */
function limitedNode(options: NodeOptions) {
	const { allowed, refuse = () => tooMany({ "retry-after": "1" }), perSecondMax = null } = options;
	const time = createLabTime({ readsAnswers: true });
	const { clock, wait } = time;
	const counts = { answered: 0, refused: 0, second: 0, inSecond: 0 };
	const answer = async (_: unknown, init?: RequestInit) => {
		const parsed: Asked | Asked[] = JSON.parse(String(init?.body));
		const asked = [parsed].flat();
		const second = Math.floor(clock.nowMs() / 1_000);
		if (second !== counts.second) Object.assign(counts, { second, inSecond: 0 });
		if (counts.inSecond + asked.length > allowed) {
			counts.refused++;
			return refuse(asked);
		}
		counts.inSecond += asked.length;
		counts.answered += asked.length;
		const body = asked.slice(0, options.batchMax).map(({ id, method, params }) => {
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
	"a 429 that says at once": [{ allowed: 100, refuse: () => tooMany({ "retry-after": "0" }) }, 60],
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
		{ allowed: 100, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" } },
		60,
	],
	"batches cut at 20": [{ allowed: 100, batchMax: 20 }, 60],
	"less than is set": [{ allowed: 30, perSecondMax: 100 }, 90],
};
for (const [what, [options, secondsMax]] of Object.entries(misbehaving)) {
	test(`a node with ${what} is learned: all is answered, and the next time soon`, async () => {
		const node = limitedNode(options);
		await secondsFor(node, 600, secondsMax);
		expect(await secondsFor(node, 600, 3_600)).toBeLessThan(60);
	});
}

test("where the operator said how much is allowed nothing is ever refused", async () => {
	const node = limitedNode({ allowed: 100, perSecondMax: 100 });
	expect(await secondsFor(node, 1_200, 60)).toBeLessThan(15);
	expect(node.counts.refused).toBe(0);
});

test("what an intent asks is answered while a catch-up uses all there is", async () => {
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
