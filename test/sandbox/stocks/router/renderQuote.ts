// Quotes routes through the chain's pools, as the Trading API does.

import {
	type Address,
	concatHex,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isHex,
	numberToHex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import { describeStockWorld, type Pool, type V4Pool } from "../describeStockWorld.ts";
import { stockAddresses, uniswapAbi } from "../stockCatalogue.ts";
import type { PoolStep, QuoteAnswer, QuoteRequest } from "./routerWire.ts";

/** A route of pools, and the quoter's amounts for it. */
export type Way = { pools: readonly Pool[]; amountIn: bigint; amountOut: bigint; gas: bigint };
export type WayAsk = {
	tokenIn: Address;
	tokenOut: Address;
	exact: "in" | "out";
	amount: bigint;
};

export type PoolState = { sqrtPriceX96: bigint; tick: number; liquidity: bigint };
export type QuoteDraft = {
	asked: QuoteRequest;
	ways: readonly Way[];
	states: ReadonlyMap<Address, PoolState>;
	/** A sequence number, for ids. */
	count: number;
	block: bigint;
	nowS: number;
	/** Without Permit2 there is no permit to sign. */
	hasPermit: boolean;
};

const HOPS_MAX = 3;
const WAYS_MAX = 24;
const Reply = z.array(
	z.object({ id: z.int(), result: z.custom<Hex>((value) => isHex(value)).optional() }),
);

/**
 * The address of the real router 2.1.1; no package has its bytecode, so it is not deployed here.
 */
export const UNIVERSAL_ROUTER = "0x06afBA43fd06227fA663b0dAeCF536F6eaA6BF99";
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const CHAIN_ID = 4663;
const SLIPPAGE_PERCENT = 0.5;
const PERMIT_S = 30 * 86_400;
const SIGNATURE_S = 1_800;
const FULL = (2n ** 160n - 1n).toString();
const MAX_FEE_WEI = 20_000_000n;
const { weth, usdg } = stockAddresses;
const { stocks, bad } = describeStockWorld();
const known = new Map(
	[...stocks, ...Object.values(bad)].map((stock) => [
		stock.address,
		{ symbol: stock.ticker, decimals: stock.decimals },
	]),
);

/** Renders a quote as the Trading API does. */
export function renderQuote(draft: QuoteDraft): QuoteAnswer {
	const { asked, ways, states, count, block } = draft;
	const sum = (of: (way: Way) => bigint): bigint => ways.reduce((all, way) => all + of(way), 0n);
	const [amountIn, amountOut] = [sum((way) => way.amountIn), sum((way) => way.amountOut)];
	const gas = sum((way) => way.gas);
	const slippage = asked.slippageTolerance ?? SLIPPAGE_PERCENT;
	const recipient = asked.recipient ?? asked.swapper;
	const isIn = asked.type === "EXACT_INPUT";
	const least = isIn ? lessen(amountOut, slippage) : amountOut;
	const output = { token: asked.tokenOut, amount: String(amountOut), recipient };
	return {
		requestId: `request-${count}`,
		routing: "CLASSIC",
		quote: {
			input: { token: asked.tokenIn, amount: String(amountIn) },
			output,
			...{ swapper: asked.swapper, chainId: CHAIN_ID, slippage, tradeType: asked.type },
			gasFee: String(gas * MAX_FEE_WEI),
			gasFeeUSD: "0.01",
			gasUseEstimate: String(gas),
			route: ways.map((way) => stepsOf(way, { tokenIn: wrapped(asked.tokenIn), states })),
			routeString: ways
				.map(
					(way) => `[V3] ${tokensOf(way.pools, wrapped(asked.tokenIn)).map(symbolOf).join(" -- ")}`,
				)
				.join(", "),
			quoteId: `quote-${count}`,
			blockNumber: String(block),
			priceImpact: impactOf(ways, { tokenIn: wrapped(asked.tokenIn), states }),
			txFailureReasons: [],
			aggregatedOutputs: [{ ...output, bps: 10_000, minAmount: String(least) }],
			maxFeePerGas: String(MAX_FEE_WEI),
			maxPriorityFeePerGas: "0",
		},
		permitData: draft.hasPermit && asked.tokenIn !== zeroAddress ? permitOf(draft, amountIn) : null,
	};
}

/** Quotes every route with QuoterV2 at one block; returns those that work, the best first. */
export async function quoteWays(
	rpcUrl: string,
	{ ask, pools, block }: { ask: WayAsk; pools: readonly Pool[]; block: Hex },
): Promise<Way[]> {
	const ways = findWays(pools, ask).slice(0, WAYS_MAX);
	const calls = ways.map((way) => {
		const [path, amount] = [pathOf(way, ask), ask.amount];
		const functionName = ask.exact === "in" ? "quoteExactInput" : "quoteExactOutput";
		const data = encodeFunctionData({ abi: uniswapAbi, functionName, args: [path, amount] });
		return { to: stockAddresses.quoter, data };
	});
	const answers = await readMany(rpcUrl, { calls, block });
	return ways
		.flatMap((way, index): Way[] => {
			const answer = answers[index];
			if (!answer) return [];
			const [amount, , , gas] = decodeFunctionResult({
				...{ abi: uniswapAbi, functionName: "quoteExactInput", data: answer },
			});
			const isIn = ask.exact === "in";
			const [amountIn, amountOut] = isIn ? [ask.amount, amount] : [amount, ask.amount];
			return amountIn > 0n && amountOut > 0n ? [{ pools: way, amountIn, amountOut, gas }] : [];
		})
		.sort((a, b) => {
			const [of, to] = ask.exact === "in" ? [b.amountOut, a.amountOut] : [a.amountIn, b.amountIn];
			return of > to ? 1 : of < to ? -1 : 0;
		});
}

/** Returns the tokens that a route passes, from first to last. */
export function tokensOf(way: readonly Pool[], tokenIn: Address): Address[] {
	const tokens = [tokenIn];
	for (const { token0, token1 } of way) tokens.push(tokens.at(-1) === token0 ? token1 : token0);
	return tokens;
}

/** Reads the state of the pools of these routes. */
export async function readStates(
	rpcUrl: string,
	{ ways, block }: { ways: readonly Way[]; block: Hex },
): Promise<Map<Address, PoolState>> {
	const pools = [...new Set(ways.flatMap((way) => way.pools.map(({ address }) => address)))];
	const views = (["slot0", "liquidity"] as const).map((functionName) =>
		encodeFunctionData({ abi: uniswapAbi, functionName }),
	);
	const calls = pools.flatMap((to) => views.map((data) => ({ to, data })));
	const answers = await readMany(rpcUrl, { calls, block });
	return new Map(
		pools.map((pool, index) => {
			const [slot0 = "0x", depth = "0x"] = answers.slice(index * 2, index * 2 + 2);
			const abi = uniswapAbi;
			const [sqrtPriceX96, tick] = decodeFunctionResult({
				abi,
				functionName: "slot0",
				data: slot0,
			});
			const liquidity = decodeFunctionResult({ abi, functionName: "liquidity", data: depth });
			return [pool, { sqrtPriceX96, tick, liquidity }];
		}),
	);
}

/** Makes calls at one block in one request; undefined where one reverts. */
export async function readMany(
	rpcUrl: string,
	{ calls, block }: { calls: readonly { to: Address; data: Hex }[]; block: Hex },
): Promise<(Hex | undefined)[]> {
	if (calls.length === 0) return [];
	const response = await fetch(rpcUrl, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(
			calls.map((call, id) => ({
				...{ jsonrpc: "2.0", id, method: "eth_call", params: [call, block] },
			})),
		),
	});
	const replies = Reply.parse(await response.json());
	const byId = new Map(replies.map(({ id, result }) => [id, result]));
	return calls.map((_, id) => byId.get(id));
}

/** Returns the quote changed to one V4 pool of these tokens; unchanged where there is none. */
export function throughDecoy(answer: QuoteAnswer, decoys: readonly V4Pool[]): QuoteAnswer {
	const { quote } = answer;
	const steps = quote.route[0] ?? [];
	const [first, last] = [steps.at(0), steps.at(-1)];
	if (!first || !last) return answer;
	const ends = [first.tokenIn.address, last.tokenOut.address].sort();
	const found = decoys.find(({ key }) => {
		return [key.currency0, key.currency1].sort().join() === ends.join();
	});
	if (!found) return answer;
	const { fee, tickSpacing, hooks } = found.key;
	const step: PoolStep = {
		...first,
		type: "v4-pool",
		address: found.id,
		tokenOut: last.tokenOut,
		...{ fee: String(fee), tickSpacing: String(tickSpacing), hooks },
		...{ amountIn: quote.input.amount, amountOut: quote.output.amount },
	};
	return { ...answer, quote: { ...quote, route: [[step]], routeString: "[V4]" } };
}

/** Returns the token that pools use where ether is requested. */
export function wrapped(token: string): Address {
	if (token === zeroAddress) return weth;
	const found = [weth, usdg, ...known.keys()].find(
		(one) => one.toLowerCase() === token.toLowerCase(),
	);
	return found ?? (token as Address);
}

/** Returns the amount reduced by a percentage, rounded down as in the real one's answers. */
export function lessen(amount: bigint, percent: number): bigint {
	return (amount * BigInt(1_000_000 - Math.round(percent * 1e4))) / 1_000_000n;
}

function stepsOf(
	way: Way,
	{ tokenIn, states }: { tokenIn: Address; states: QuoteDraft["states"] },
): PoolStep[] {
	const tokens = tokensOf(way.pools, tokenIn);
	return way.pools.map(({ address, fee }, index) => {
		const state = states.get(address);
		return {
			type: "v3-pool",
			address,
			tokenIn: tokenOf(tokens[index]),
			tokenOut: tokenOf(tokens[index + 1]),
			sqrtRatioX96: String(state?.sqrtPriceX96 ?? 0n),
			liquidity: String(state?.liquidity ?? 0n),
			tickCurrent: String(state?.tick ?? 0),
			fee: String(fee),
			...(index === 0 && { amountIn: String(way.amountIn) }),
			...(index === way.pools.length - 1 && { amountOut: String(way.amountOut) }),
		};
	});
}

function tokenOf(address: Address | undefined): PoolStep["tokenIn"] {
	const at = address ?? zeroAddress;
	const decimals = at === usdg ? 6 : (known.get(at)?.decimals ?? 18);
	return { address: at, chainId: CHAIN_ID, symbol: symbolOf(at), decimals: String(decimals) };
}

function symbolOf(address: Address): string {
	if (address === weth) return "WETH";
	return address === usdg ? "USDG" : (known.get(address)?.symbol ?? "UNKNOWN");
}

/** Returns the price impact against the pools' prices before fees, in per cent of the output. */
function impactOf(
	ways: readonly Way[],
	{ tokenIn, states }: { tokenIn: Address; states: QuoteDraft["states"] },
): number {
	const fair = ways.map((way) => {
		const tokens = tokensOf(way.pools, tokenIn);
		const prices = way.pools.map((pool, index) => priceOf(pool, { states, from: tokens[index] }));
		return Number(way.amountIn) * prices.reduce((all, one) => all * one, 1);
	});
	const whole = fair.reduce((all, one) => all + one, 0);
	const got = ways.reduce((all, way) => all + Number(way.amountOut), 0);
	return whole > 0 ? Math.max(0, Math.round((1 - got / whole) * 1e4) / 100) : 0;
}

function priceOf(
	{ address, token0, fee }: Pool,
	{ states, from }: { states: QuoteDraft["states"]; from: Address | undefined },
): number {
	const price = (Number(states.get(address)?.sqrtPriceX96 ?? 0n) / 2 ** 96) ** 2;
	return (from === token0 ? price : 1 / price) * (1 - fee / 1e6);
}

function permitOf(
	{ asked, nowS }: QuoteDraft,
	amountIn: bigint,
): NonNullable<QuoteAnswer["permitData"]> {
	const amount = asked.permitAmount === "FULL" ? FULL : String(amountIn);
	const field = (name: string, type: string) => ({ name, type });
	return {
		domain: { name: "Permit2", chainId: CHAIN_ID, verifyingContract: PERMIT2 },
		types: {
			PermitSingle: [
				field("details", "PermitDetails"),
				field("spender", "address"),
				field("sigDeadline", "uint256"),
			],
			PermitDetails: [
				field("token", "address"),
				field("amount", "uint160"),
				field("expiration", "uint48"),
				field("nonce", "uint48"),
			],
		},
		values: {
			details: { token: asked.tokenIn, amount, expiration: String(nowS + PERMIT_S), nonce: "0" },
			spender: UNIVERSAL_ROUTER,
			sigDeadline: String(nowS + SIGNATURE_S),
		},
	};
}

/** Returns every route of pools from one token to the other that passes no token twice. */
function findWays(pools: readonly Pool[], { tokenIn, tokenOut }: WayAsk): Pool[][] {
	const found: Pool[][] = [];
	const walk = (at: Address, way: Pool[], passed: readonly Address[]): void => {
		for (const pool of pools) {
			const next = pool.token0 === at ? pool.token1 : pool.token1 === at ? pool.token0 : null;
			if (next === null || passed.includes(next)) continue;
			if (next === tokenOut) found.push([...way, pool]);
			else if (way.length + 1 < HOPS_MAX) walk(next, [...way, pool], [...passed, next]);
		}
	};
	walk(tokenIn, [], [tokenIn]);
	return found.sort((a, b) => a.length - b.length);
}

/** Returns the path in V3's encoding: backwards for an exact output. */
function pathOf(way: readonly Pool[], { tokenIn, exact }: WayAsk): Hex {
	const tokens = tokensOf(way, tokenIn);
	const fees = way.map(({ fee }) => numberToHex(fee, { size: 3 }));
	const [names, prices] = exact === "in" ? [tokens, fees] : [tokens.reverse(), fees.reverse()];
	return concatHex(names.flatMap((name, index) => [name, ...prices.slice(index, index + 1)]));
}
