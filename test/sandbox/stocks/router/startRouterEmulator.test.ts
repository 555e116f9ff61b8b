import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import {
	type Address,
	decodeAbiParameters,
	decodeFunctionData,
	type Hex,
	parseAbi,
	parseAbiParameters,
	zeroAddress,
} from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { mutantsOf } from "#test/harness/mutantsOf.ts";
import { openStockWorld, type StockWorld } from "../openStockWorld.ts";
import { LIES, type Lie } from "./RouterFault.ts";
import { quoteWays } from "./renderQuote.ts";
import { type QuoteAnswer, quoteAnswer, type SwapAnswer, swapAnswer } from "./routerWire.ts";
import { type RouterEmulator, startRouterEmulator } from "./startRouterEmulator.ts";

const TAKER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const executeAbi = parseAbi(["function execute(bytes commands, bytes[] inputs, uint256 deadline)"]);
const swapInput = parseAbiParameters("address, uint256, uint256, bytes, bool, uint256[]");
let anvil: Anvil;
let world: StockWorld;
let router: RouterEmulator;
let nowMs = 1_800_000_000_000;

beforeAll(async () => {
	anvil = await startAnvil({ args: ["--chain-id", "4663"] });
	world = await openStockWorld(anvil.url);
	router = startRouterEmulator({
		...{ rpcUrl: anvil.url, apiKey: "key", clock: { nowMs: () => nowMs } },
		rateLimit: { limit: 200, windowMs: 1_000 },
	});
});
afterEach(() => {
	router.clearFaults();
	nowMs += 60_000;
});
afterAll(async () => {
	await router?.stop();
	await anvil?.stop();
});

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
	return await fetch(`${router.url}${path}`, {
		method: "POST",
		headers: {
			...{ "content-type": "application/json", "x-api-key": "key" },
			...{ "x-universal-router-version": "2.1.1", ...headers },
		},
		body: JSON.stringify(body),
	});
}

const ask = (more: Record<string, unknown> = {}) => ({
	...{ type: "EXACT_INPUT", amount: "50000000", tokenInChainId: 4663, tokenOutChainId: 4663 },
	...{ tokenIn: world.addresses.usdg.toLowerCase(), tokenOut: world.stock("TSLA").address },
	...{ swapper: TAKER, slippageTolerance: 0.5, permitAmount: "EXACT", ...more },
});
const quote = async (more: Record<string, unknown> = {}): Promise<QuoteAnswer> =>
	quoteAnswer.parse(await (await post("/quote", ask(more))).json());

async function bestOf(exact: "in" | "out", tokens: [Address, Address], amount: bigint) {
	const [tokenIn, tokenOut] = tokens;
	const terms = { tokenIn, tokenOut, exact, amount };
	const { pools } = world;
	const [best] = await quoteWays(anvil.url, { ask: terms, pools, block: "latest" as Hex });
	return best;
}

test("a quote equals QuoterV2's for the best route, from token to token and from ether", async () => {
	const { usdg, weth } = world.addresses;
	const tsla = world.stock("TSLA").address;
	const best = await bestOf("in", [usdg, tsla], 50_000_000n);
	const { quote: told, permitData } = await quote();
	expect(told.output).toEqual({ token: tsla, amount: String(best?.amountOut), recipient: TAKER });
	expect(told.route[0]?.[0]).toMatchObject({ address: best?.pools[0]?.address, fee: "3000" });
	expect(told.priceImpact).toBeLessThan(0.1);
	expect(permitData?.values.details.amount).toBe("50000000");
	const coin = world.stock("COIN").address;
	const asked = { type: "EXACT_OUTPUT", amount: String(10n ** 18n), tokenOut: coin };
	const way = await bestOf("out", [usdg, coin], 10n ** 18n);
	const bought = await quote(asked);
	expect(bought.quote.input.amount).toBe(String(way?.amountIn));
	expect(bought.quote.route[0]?.map(({ tokenOut }) => tokenOut.address)).toEqual([weth, coin]);
	const native = await quote({ tokenIn: zeroAddress, amount: String(10n ** 17n) });
	expect(native.permitData).toBeNull();
	const plain = await post("/quote", ask(), { "x-permit2-disabled": "true" });
	expect(quoteAnswer.parse(await plain.json()).permitData).toBeNull();
	expect(native.quote.input.token).toBe(zeroAddress);
});

test("a swap is UniversalRouter 2.1.1 calldata with the quote's recipient, minimum and deadline", async () => {
	const told = await quote();
	const { swap }: SwapAnswer = swapAnswer.parse(
		await (await post("/swap", { quote: told.quote, deadline: 1_900_000_000 })).json(),
	);
	const [recipient, amount, least, path, isPayer] = inputOf(swap.data as Hex);
	expect([recipient, amount, isPayer]).toEqual([TAKER, 50_000_000n, true]);
	const out = BigInt(told.quote.output.amount);
	expect(least).toBe((out * 995_000n) / 1_000_000n);
	expect(path).toStartWith(world.addresses.usdg.toLowerCase());
	router.fault({ kind: "calldata", minimum: "0", recipient: world.addresses.maker, deadlineS: 1 });
	const lie = swapAnswer.parse(await (await post("/swap", { quote: told.quote })).json());
	const { args } = decodeFunctionData({ abi: executeAbi, data: lie.swap.data as Hex });
	expect(args[2]).toBe(1n);
	expect(inputOf(lie.swap.data as Hex).slice(0, 3)).toEqual([world.addresses.maker, amount, 0n]);
	nowMs += 31_000;
	const late = swapAnswer.parse(await (await post("/swap", { quote: told.quote })).json());
	expect(late.swap.data).toBe("0x");
});

function inputOf(data: Hex) {
	const { args } = decodeFunctionData({ abi: executeAbi, data });
	return decodeAbiParameters(swapInput, args[1][0] ?? "0x");
}

test("each false answer changes the one member that it names, and every mutant can be returned", async () => {
	const honest = await quote();
	const body = { quote: honest.quote };
	const swap = await (await post("/swap", body)).json();
	for (const about of Object.keys(LIES) as Lie[]) {
		const [path, member] = LIES[about].at;
		router.fault({ kind: "lie", about, times: 1 });
		const truth = path === "/quote" ? honest : swap;
		const lie = await (await post(path, path === "/quote" ? ask() : body)).json();
		const plain = { ...lie, requestId: truth.requestId };
		if (lie.quote) plain.quote.quoteId = truth.quote.quoteId;
		expect([about, ...differences(plain, truth)]).toEqual([about, member]);
	}
	const mutants = mutantsOf(honest);
	expect(mutants.length).toBeGreaterThan(100);
	const [mutant] = mutants;
	router.fault({ kind: "answer", body: mutant?.value as never, times: 1 });
	expect(await (await post("/quote", ask())).json()).toEqual(mutant?.value as never);
	expect((await quote()).quote.output).toEqual(honest.quote.output);
});

function differences(one: unknown, other: unknown, at = ""): string[] {
	if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) {
		return one === other ? [] : [at.slice(1)];
	}
	const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
	return [...keys].flatMap((key) =>
		differences(Reflect.get(one, key), Reflect.get(other, key), `${at}.${key}`),
	);
}

test("on request there are better and worse prices, split routes, a decoy, no route, an unknown chain", async () => {
	const honest = BigInt((await quote()).quote.output.amount);
	router.fault({ kind: "price", bps: 250, times: 1 });
	expect(BigInt((await quote()).quote.output.amount)).toBe((honest * 10_250n) / 10_000n);
	router.fault({ kind: "price", bps: -9_000, times: 1 });
	expect(BigInt((await quote()).quote.output.amount)).toBe((honest * 1_000n) / 10_000n);
	router.fault({ kind: "split", times: 1 });
	const split = await quote({ tokenOut: world.stock("AAPL").address });
	expect(split.quote.route).toHaveLength(2);
	router.fault({ kind: "decoy", times: 1 });
	const [[step] = []] = (await quote()).quote.route;
	expect(step).toMatchObject({ type: "v4-pool", hooks: expect.stringMatching(/0044$/) });
	expect(Number(step?.fee)).toBeGreaterThanOrEqual(10_000);
	router.fault({ kind: "no_route", times: 1 });
	const none = await post("/quote", ask());
	expect([none.status, (await none.json()).errorCode]).toEqual([404, "ResourceNotFound"]);
	expect((await post("/quote", ask({ tokenOutChainId: 1 }))).status).toBe(404);
	expect((await post("/quote", ask({ amount: "1.5" }))).status).toBe(400);
});

test("the router refuses a missing key, another version, too many calls, and all calls in an outage", async () => {
	expect((await post("/quote", ask(), { "x-api-key": "no" })).status).toBe(401);
	expect((await post("/quote", ask(), { "x-universal-router-version": "2.0" })).status).toBe(400);
	router.fault({ kind: "429", retryAfter: 7, times: 1 });
	const throttled = await post("/quote", ask());
	expect([throttled.status, throttled.headers.get("retry-after")]).toEqual([429, "7"]);
	router.fault({ kind: "500", status: 503, times: 1 });
	expect((await post("/quote", ask())).status).toBe(503);
	const own = { rpcUrl: anvil.url, rateLimit: { limit: 1, windowMs: 1_000 } };
	const narrow = startRouterEmulator({ ...own, clock: { nowMs: () => nowMs } });
	const headers = { "x-universal-router-version": "2.1.1" };
	const body = JSON.stringify(ask());
	const statuses: number[] = [];
	for (let n = 0; n < 2; n++) {
		const answer = await fetch(`${narrow.url}/quote`, { method: "POST", headers, body });
		statuses.push(answer.status);
	}
	await narrow.stop();
	expect(statuses).toEqual([200, 429]);
});

test("an emptied pool has no quote", async () => {
	const amd = world.stock("AMD");
	const [pool] = amd.pools;
	if (!pool) throw new Error("no pool");
	await world.drain(pool);
	expect((await post("/quote", ask({ tokenOut: amd.address }))).status).toBe(404);
	await world.drain(pool, 10_000);
	expect((await post("/quote", ask({ tokenOut: amd.address }))).status).toBe(200);
});
