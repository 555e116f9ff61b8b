import type { Address } from "#core/chain/Hex.ts";
import type { HostedAsk } from "#plugins/trading/quotes/hostedAnswer.ts";
import type { Pool } from "#plugins/trading/registry/Asset.ts";

const [USDG, WETH, TSLA]: [Address, Address, Address] = [
	"0x5fc5360d0400a0fd4f2af552add042d716f1d168",
	"0x0bd7d308f8e1639fab988df18a8011f41eacad73",
	`0x${"11".repeat(20)}`,
];
const pool = (address: Address, tokens: [Address, Address], feeBps100: number): Pool => {
	const [token0, token1] = tokens;
	return { address, token0, token1, feeBps100, liquidity: null, version: "v3" };
};

/** Configured pools: USDG to WETH, and WETH to a stock. */
export const hostedPools: readonly Pool[] = [
	pool(`0x${"d1".repeat(20)}`, [WETH, USDG], 500),
	pool(`0x${"d2".repeat(20)}`, [WETH, TSLA], 3_000),
];

export const hostedAsk: HostedAsk = {
	...{ chainId: 4663, tokenIn: USDG, tokenOut: TSLA, isNativeIn: false, isNativeOut: false },
	...{ exact: "in", amountRaw: 50_000_000n, taker: `0x${"a7".repeat(20)}`, slippagePercent: 0.5 },
};

/**
 * Returns an answer of the Trading API, in its documented form, to that request over those pools.
 */
export function hostedJson(outRaw = 123_456_789_012_345_678n) {
	const token = (address: Address) => ({ address, chainId: 4663, symbol: "X", decimals: "18" });
	const [first, second] = hostedPools;
	return {
		requestId: "req-7f0c",
		routing: "CLASSIC",
		permitData: { domain: { name: "Permit2" }, values: { details: { amount: "50000000" } } },
		quote: {
			chainId: 4663,
			swapper: hostedAsk.taker,
			tradeType: "EXACT_INPUT",
			input: { token: USDG, amount: "50000000" },
			output: { token: TSLA, amount: String(outRaw), recipient: hostedAsk.taker },
			slippage: 0.5,
			quoteId: "quote-1",
			blockNumber: "1234567",
			route: [
				[
					{
						...{
							type: "v3-pool",
							address: first?.address,
							fee: "500",
							liquidity: "1",
							tickCurrent: "2",
						},
						...{ tokenIn: token(USDG), tokenOut: token(WETH), amountIn: "50000000" },
					},
					{
						...{
							type: "v3-pool",
							address: second?.address,
							fee: "3000",
							liquidity: "1",
							tickCurrent: "2",
						},
						...{ tokenIn: token(WETH), tokenOut: token(TSLA), amountOut: String(outRaw) },
					},
				],
			],
		},
	};
}
