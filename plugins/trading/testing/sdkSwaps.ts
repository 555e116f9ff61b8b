import { SwapRouter } from "@uniswap/router-sdk";
import { type Currency, CurrencyAmount, Ether, Percent, Token, TradeType } from "@uniswap/sdk-core";
import { encodeSqrtRatioX96, FeeAmount, Pool, Route, TickMath, Trade } from "@uniswap/v3-sdk";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";
import type { SwapTerms } from "#plugins/trading/swap/encodeSwap.ts";

export type SdkSwap = { name: string; terms: SwapTerms; data: Hex; valueRaw: bigint };

const CHAIN = 4663;
const WETH = new Token(CHAIN, "0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73", 18, "WETH");
const USDG = new Token(CHAIN, "0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168", 6, "USDG");
const TSLA = new Token(CHAIN, `0x${"11".repeat(20)}`, 18, "TSLA");
const AAPL = new Token(CHAIN, `0x${"f2".repeat(20)}`, 18, "AAPL");
const ETHER = Ether.onChain(CHAIN);
const RECIPIENT: Address = `0x${"a7".repeat(20)}`;
const DEADLINE_S = 1_900_000_123n;
const SLIPPAGES = [new Percent(50, 10_000), new Percent(1, 10_000)];
const lower = (token: Token): Address => `0x${token.address.slice(2).toLowerCase()}`;
/** Gives the SDK the real wrapped coin of chain 4663, which it does not know. */
const wrapped = (currency: Currency): Token => (currency.isNative ? WETH : currency);

/** Routes: the currencies from the first to the last, and the fees between them. */
const WAYS: readonly { path: readonly Currency[]; fees: readonly FeeAmount[] }[] = [
	{ path: [USDG, TSLA], fees: [FeeAmount.LOW] },
	{ path: [TSLA, USDG], fees: [FeeAmount.MEDIUM] },
	{ path: [WETH, AAPL], fees: [FeeAmount.HIGH] },
	{ path: [ETHER, AAPL], fees: [FeeAmount.LOWEST] },
	{ path: [AAPL, ETHER], fees: [FeeAmount.MEDIUM] },
	{ path: [ETHER, USDG], fees: [FeeAmount.LOW] },
	{ path: [USDG, WETH, AAPL], fees: [FeeAmount.LOW, FeeAmount.MEDIUM] },
	{ path: [ETHER, USDG, TSLA], fees: [FeeAmount.LOW, FeeAmount.HIGH] },
	{ path: [TSLA, USDG, ETHER], fees: [FeeAmount.MEDIUM, FeeAmount.LOW] },
	{ path: [TSLA, WETH, USDG, AAPL], fees: [FeeAmount.LOW, FeeAmount.LOWEST, FeeAmount.HIGH] },
	{ path: [AAPL, USDG, TSLA, ETHER], fees: [FeeAmount.HIGH, FeeAmount.LOW, FeeAmount.MEDIUM] },
	{ path: [ETHER, TSLA, USDG, AAPL], fees: [FeeAmount.MEDIUM, FeeAmount.LOW, FeeAmount.LOW] },
];
const AMOUNTS: readonly [bigint, bigint][] = [
	[50_000_000n, 123_456_789_012_345_678n],
	[1_234_567_890_123_456_789n, 7n * 10n ** 24n + 1n],
];

/** Returns swaps of every shape, each with the bytes that the official SDK makes of it. */
export function sdkSwaps(): SdkSwap[] {
	return WAYS.flatMap((way) =>
		(["in", "out"] as const).flatMap((exact) =>
			AMOUNTS.flatMap((amounts, index) => {
				return SLIPPAGES.map((slippage) => sdkSwap({ ...way, exact, amounts, slippage, index }));
			}),
		),
	);
}

function sdkSwap(given: {
	path: readonly Currency[];
	fees: readonly FeeAmount[];
	exact: "in" | "out";
	amounts: readonly [bigint, bigint];
	slippage: Percent;
	index: number;
}): SdkSwap {
	const { path, fees, exact, amounts, slippage } = given;
	const input = path[0] as Currency;
	const output = path.at(-1) as Currency;
	const tokens = path.map(wrapped);
	const ratio = encodeSqrtRatioX96(1, 1);
	const tick = TickMath.getTickAtSqrtRatio(ratio);
	const pools = fees.map((fee, at) => {
		return new Pool(tokens[at] as Token, tokens[at + 1] as Token, fee, ratio, 1_000_000, tick);
	});
	const trade = Trade.createUncheckedTrade({
		route: new Route(pools, input, output),
		inputAmount: CurrencyAmount.fromRawAmount(input, String(amounts[0])),
		outputAmount: CurrencyAmount.fromRawAmount(output, String(amounts[1])),
		tradeType: exact === "in" ? TradeType.EXACT_INPUT : TradeType.EXACT_OUTPUT,
	});
	// The SDK refunds coins where it guesses from its pools' prices that a swap may stop half way:
	// above an impact of 50 %. Here they are always refunded.
	Object.defineProperty(trade, "priceImpact", { value: new Percent(51, 100) });
	const { calldata, value } = SwapRouter.swapCallParameters(trade, {
		slippageTolerance: slippage,
		recipient: RECIPIENT,
		deadlineOrPreviousBlockhash: String(DEADLINE_S),
	});
	const most = BigInt(trade.maximumAmountIn(slippage).quotient.toString());
	const least = BigInt(trade.minimumAmountOut(slippage).quotient.toString());
	const terms: SwapTerms = {
		hops: fees.map((fee, at): Hop => {
			const [one, other] = [tokens[at] as Token, tokens[at + 1] as Token];
			const pool: Address = `0x${"d".repeat(40)}`;
			return { version: "v3", pool, tokenIn: lower(one), tokenOut: lower(other), fee };
		}),
		exact,
		amountRaw: exact === "in" ? amounts[0] : amounts[1],
		limitRaw: exact === "in" ? least : most,
		isNativeIn: input.isNative,
		isNativeOut: output.isNative,
		recipient: RECIPIENT,
		deadlineS: DEADLINE_S,
	};
	const symbols = path.map(({ symbol }) => symbol).join(" > ");
	const name = `exact ${exact}: ${symbols}, amounts ${given.index}, ${slippage.toFixed(2)} %`;
	return { name, terms, data: calldata.toLowerCase() as Hex, valueRaw: BigInt(value) };
}
