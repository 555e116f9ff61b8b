import { Token } from "@uniswap/sdk-core";
import { computePoolAddress, type FeeAmount } from "@uniswap/v3-sdk";
import { Pool as V4Pool } from "@uniswap/v4-sdk";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { HostedAsk, HostedGround } from "#plugins/trading/quotes/hostedAnswer.ts";
import type { Pool } from "#plugins/trading/registry/createAssets.ts";

const [USDG, WETH, TSLA]: [Address, Address, Address] = [
	"0x5fc5360d0400a0fd4f2af552add042d716f1d168",
	"0x0bd7d308f8e1639fab988df18a8011f41eacad73",
	`0x${"11".repeat(20)}`,
];
const FACTORY: Address = "0x1f7d7550b1b028f7571e69a784071f0205fd2efa";
const CHAIN_ID = 4663;
const token = (address: Address) => new Token(CHAIN_ID, address, 18);

const poolOf = (tokens: [Address, Address], feeBps100: number): Pool => {
	const [token0, token1] = tokens;
	const address = computePoolAddress({
		...{ factoryAddress: FACTORY, tokenA: token(token0), tokenB: token(token1) },
		fee: feeBps100 as FeeAmount,
	}).toLowerCase() as Address;
	return { address, token0, token1, feeBps100, liquidity: null, version: "v3" };
};

/** Configured pools: USDG to WETH, and WETH to a stock. */
export const hostedPools: readonly Pool[] = [
	poolOf([WETH, USDG], 500),
	poolOf([WETH, TSLA], 3_000),
];
export const hostedGround: HostedGround = { pools: hostedPools, factory: FACTORY };

export const hostedAsk: HostedAsk = {
	...{ chainId: CHAIN_ID, tokenIn: USDG, tokenOut: TSLA, isNativeIn: false, isNativeOut: false },
	...{ exact: "in", amountRaw: 50_000_000n, taker: `0x${"a7".repeat(20)}`, slippageBps: 50 },
};

const shown = (address: Address) => ({
	...{ address, chainId: CHAIN_ID, symbol: "X", decimals: "18" },
});

/**
 * Returns an answer of the Trading API, in its documented form, to that request over those pools.
 */
export function hostedJson(outRaw = 123_456_789_012_345_678n) {
	const [first, second] = hostedPools;
	const state = { liquidity: "1", tickCurrent: "2", sqrtRatioX96: "3" };
	return {
		requestId: "34784ef4-065a-4fa2-b77c-521f785fc068",
		routing: "CLASSIC",
		permitData: null,
		quote: {
			chainId: CHAIN_ID,
			swapper: hostedAsk.taker,
			tradeType: "EXACT_INPUT",
			input: { token: USDG, amount: "50000000" },
			output: { token: TSLA, amount: String(outRaw), recipient: hostedAsk.taker },
			slippage: 0.5,
			quoteId: "quote-1",
			blockNumber: "1234567",
			aggregatedOutputs: [
				{
					...{ token: TSLA, amount: String(outRaw), recipient: hostedAsk.taker, bps: 10_000 },
					minAmount: String((outRaw * 9_950n) / 10_000n),
				},
			],
			route: [
				[
					{
						...{ type: "v3-pool", address: first?.address, fee: "500", ...state },
						...{ tokenIn: shown(USDG), tokenOut: shown(WETH), amountIn: "50000000" },
					},
					{
						...{ type: "v3-pool", address: second?.address, fee: "3000", ...state },
						...{ tokenIn: shown(WETH), tokenOut: shown(TSLA), amountOut: String(outRaw) },
					},
				],
			],
		},
	};
}

type HostedJson = Omit<ReturnType<typeof hostedJson>, "quote"> & {
	quote: Record<string, unknown>;
};
/** A request, an answer of the API to it, and whether its route can be executed here. */
export type HostedCase = { name: string; ask: HostedAsk; json: HostedJson; isRoute: boolean };

/**
 * Returns an answer of every shape that the API has: over configured pools, over a V3 pool that is
 * not configured, over V4 with the coin itself, over V2, and split.
 */
export function hostedCases(): HostedCase[] {
	const plain = hostedJson();
	const other = poolOf([USDG, TSLA], 10_000);
	const single = (pool: Record<string, unknown>, amounts: { in: string; out: string }) => ({
		...{ ...pool, tokenIn: shown(USDG), tokenOut: shown(TSLA) },
		...{ amountIn: amounts.in, amountOut: amounts.out },
	});
	const whole = { in: "50000000", out: plain.quote.output.amount };
	const halves = [
		{ in: "25000000", out: "61728394506172839" },
		{ in: "25000000", out: "61728394506172839" },
	] as const;
	const v3 = { type: "v3-pool", address: other.address, fee: "10000" };
	const v2 = { type: "v2-pool", address: `0x${"d2".repeat(20)}` };
	const over = (route: unknown): HostedJson => ({ ...plain, quote: { ...plain.quote, route } });
	return [
		{ name: "configured pools", ask: hostedAsk, json: plain, isRoute: true },
		{ name: "another V3 pool", ask: hostedAsk, json: over([[single(v3, whole)]]), isRoute: false },
		{ name: "a V2 pool", ask: hostedAsk, json: over([[single(v2, whole)]]), isRoute: false },
		{
			...{ name: "two ways", ask: hostedAsk, isRoute: false },
			json: over([[single(v3, halves[0])], [single(v2, halves[1])]]),
		},
		v4Case(plain),
	];
}

/** An exact output of the stock, paid in the coin itself, through a V4 pool with a hook. */
function v4Case(plain: HostedJson): HostedCase {
	const [hooks, fee, tickSpacing]: [Address, number, number] = [
		`0x${"44".repeat(20)}`,
		8_388_608,
		60,
	];
	const [inRaw, outRaw] = ["40000000000000001", "1000000000000000000"];
	const { taker } = hostedAsk;
	return {
		name: "a V4 pool of the coin itself",
		isRoute: false,
		ask: {
			...{ ...hostedAsk, tokenIn: WETH, isNativeIn: true, exact: "out" },
			amountRaw: BigInt(outRaw),
		},
		json: {
			...plain,
			quote: {
				...{ ...plain.quote, tradeType: "EXACT_OUTPUT" },
				input: { token: ZERO_ADDRESS, amount: inRaw },
				output: { token: TSLA, amount: outRaw, recipient: taker },
				aggregatedOutputs: [
					{ token: TSLA, amount: outRaw, recipient: taker, bps: 10_000, minAmount: outRaw },
				],
				route: [
					[
						{
							type: "v4-pool",
							address: V4Pool.getPoolId(
								...([token(ZERO_ADDRESS), token(TSLA), fee, tickSpacing, hooks] as const),
							),
							...{ fee, tickSpacing: String(tickSpacing), hooks },
							...{ tokenIn: shown(ZERO_ADDRESS), tokenOut: shown(TSLA) },
							...{ amountIn: inRaw, amountOut: outRaw },
						},
					],
				],
			},
		},
	};
}
