import {
	type Address,
	concatHex,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isHex,
	numberToHex,
} from "viem";
import { z } from "zod";
import type { Pool } from "../describeStockWorld.ts";
import { uniswapAbi } from "../stockAbi.ts";
import { stockAddresses } from "../stockAddresses.ts";

/** A route of pools, and the quoter's amounts for it. */
export type Way = { pools: readonly Pool[]; amountIn: bigint; amountOut: bigint; gas: bigint };
export type WayAsk = {
	tokenIn: Address;
	tokenOut: Address;
	exact: "in" | "out";
	amount: bigint;
};

const HOPS_MAX = 3;
const WAYS_MAX = 24;
const Reply = z.array(
	z.object({ id: z.int(), result: z.custom<Hex>((value) => isHex(value)).optional() }),
);

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

/** Returns the tokens that a route passes, from first to last. */
export function tokensOf(way: readonly Pool[], tokenIn: Address): Address[] {
	const tokens = [tokenIn];
	for (const { token0, token1 } of way) tokens.push(tokens.at(-1) === token0 ? token1 : token0);
	return tokens;
}
