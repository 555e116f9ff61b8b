// Encodes a swap for Uniswap's router, and simulates it.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { assert } from "#core/fault.ts";
import type { Currency } from "#core/money.ts";
import { PROBE_CODE, probeAbi } from "#plugins/trading/probes.ts";
import { encodePath, type Hop } from "#plugins/trading/quotes/QuoteSource.ts";
import { amountFigure, type Denial } from "#plugins/wallets/contract.ts";

/** The contents of a swap's calldata. */
export type SwapTerms = {
	/** The route; it contains the tokens. */
	hops: readonly Hop[];
	exact: "in" | "out";
	/** The exact amount: spent for `in`, received for `out`. */
	amountRaw: bigint;
	/** The least received for `in`, the most spent for `out`. */
	limitRaw: bigint;
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** The address that gets the bought token, and unused coins. */
	recipient: Address;
	/** Unix time in seconds. */
	deadlineS: bigint;
};

export type EncodedSwap = { data: Hex; valueRaw: bigint };

/** The most that may leave and the least that must arrive, in base units of both currencies. */
export type SwapBounds = {
	mostRaw: bigint;
	leastRaw: bigint;
	exact: "in" | "out";
	sell: Currency;
	buy: Currency;
};

type SwapBalances = { spentRaw: bigint; receivedRaw: bigint };

/**
 * A placeholder that SwapRouter02 reads as itself: the next call unwraps the coins that it holds.
 */
const ROUTER_ITSELF: Address = "0x0000000000000000000000000000000000000002";

const abi = parseAbi([
	"struct InputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
	"struct OutputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }",
	"struct Input { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
	"struct Output { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }",
	"function exactInputSingle(InputSingle params) payable returns (uint256)",
	"function exactOutputSingle(OutputSingle params) payable returns (uint256)",
	"function exactInput(Input params) payable returns (uint256)",
	"function exactOutput(Output params) payable returns (uint256)",
	"function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
	"function sweepToken(address token, uint256 amountMinimum, address recipient) payable",
	"function refundETH() payable",
	"function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])",
]);

const isWords = (answer: unknown): answer is Hex =>
	typeof answer === "string" && /^0x[0-9a-f]{128}$/i.test(answer);

/**
 * Encodes a swap for Uniswap's SwapRouter02: the swap, then unwrapping, sweeping and refunding, all
 * under one deadline. What a pool does not take stays in the router, where anybody may have it
 * (https://github.com/Uniswap/sdks/issues/216): so the coin is refunded and each token on the way
 * is swept, also where nothing should be left. The bytes equal those of the official SDK where that
 * expects a swap to stop half way, except for the sweeps, which it does not know.
 */
export function encodeSwap(terms: SwapTerms): EncodedSwap {
	const { exact, amountRaw, limitRaw, isNativeIn, isNativeOut, recipient, deadlineS } = terms;
	// The router reads the amount 0 as everything that it holds.
	assert(amountRaw > 0n && limitRaw > 0n, "a swap of nothing is none");
	assert(terms.hops.length > 0, "a swap goes through a pool");
	const calls = [swapCall(terms)];
	if (isNativeOut) {
		const leastRaw = exact === "in" ? limitRaw : amountRaw;
		const args = [leastRaw, recipient] as const;
		calls.push(encodeFunctionData({ abi, functionName: "unwrapWETH9", args }));
	}
	for (const token of sweptOf(terms)) {
		const args = [token, 0n, recipient] as const;
		calls.push(encodeFunctionData({ abi, functionName: "sweepToken", args }));
	}
	if (isNativeIn) {
		calls.push(encodeFunctionData({ abi, functionName: "refundETH" }));
	}
	const data = encodeFunctionData({ abi, functionName: "multicall", args: [deadlineS, calls] });
	const mostRaw = exact === "in" ? amountRaw : limitRaw;
	return { data, valueRaw: isNativeIn ? mostRaw : 0n };
}

/**
 * Returns the tokens on the way that the router may keep a part of: those of an exact input. For an
 * exact output pools pay each other what is asked for, and the router holds none of it.
 */
function sweptOf({ hops, exact }: SwapTerms): Address[] {
	return exact === "in" ? hops.slice(0, -1).map(({ tokenOut }) => tokenOut) : [];
}

/**
 * Returns the call that simulates a swap from its wallet and reports how both balances change. The
 * node places our code at the wallet's address for this call; nothing is signed or mined. The
 * router checks what a pool pays; this checks what arrives, which a transfer fee reduces.
 */
export function simulationCall(swap: {
	wallet: Address;
	router: Address;
	sell: Address;
	buy: Address;
	encoded: EncodedSwap;
	/** The allowance that is given first, as the step before the swap will; 0: none. */
	allowedRaw: bigint;
}): RpcCall {
	const { wallet, router, sell, buy, encoded, allowedRaw } = swap;
	const args = [sell, buy, router, allowedRaw, encoded.valueRaw, encoded.data] as const;
	const data = encodeFunctionData({ abi: probeAbi, functionName: "play", args });
	const override = { [wallet]: { code: PROBE_CODE } };
	return { method: "eth_call", params: [{ from: wallet, to: wallet, data }, "latest", override] };
}

/** Returns the balances' changes from the node's answer; null where it is invalid. */
export function readSimulation(answer: unknown): SwapBalances | null {
	if (!isWords(answer)) return null;
	const [spentRaw, receivedRaw] = decodeFunctionResult({
		...{ abi: probeAbi, functionName: "play" as const },
		data: answer,
	});
	return { spentRaw, receivedRaw };
}

/** Returns why a swap that succeeds is still not sent; null: it may be. */
export function simulationDenial(
	{ spentRaw, receivedRaw }: SwapBalances,
	bounds: SwapBounds,
): Denial | null {
	const { mostRaw, leastRaw, sell, buy } = bounds;
	const spent = { limit: amountFigure(mostRaw, sell), amount: amountFigure(spentRaw, sell) };
	if (spentRaw > mostRaw) {
		const detail = "More would leave the wallet than the trade spends.";
		return { code: "token_unsafe", detail, ...spent };
	}
	if (bounds.exact === "in" && spentRaw < mostRaw) {
		const detail = "The pools that lead there do not take all of it.";
		return { code: "liquidity_insufficient", detail, ...spent };
	}
	if (receivedRaw < leastRaw) {
		const detail =
			"Less would arrive in the wallet than the pool pays: the token keeps a part of it.";
		const received = { limit: amountFigure(leastRaw, buy), amount: amountFigure(receivedRaw, buy) };
		return { code: "token_unsafe", detail, ...received };
	}
	return null;
}

function swapCall(terms: SwapTerms): Hex {
	const { hops, exact, amountRaw, limitRaw } = terms;
	const recipient = terms.isNativeOut ? ROUTER_ITSELF : terms.recipient;
	const input = { amountIn: amountRaw, amountOutMinimum: limitRaw };
	const output = { amountOut: amountRaw, amountInMaximum: limitRaw };
	const [hop] = hops;
	if (hop && hops.length === 1) {
		const { tokenIn, tokenOut, fee } = hop;
		const single = { tokenIn, tokenOut, fee, recipient, sqrtPriceLimitX96: 0n };
		return exact === "in"
			? encodeFunctionData({
					...{ abi, functionName: "exactInputSingle" as const },
					args: [{ ...single, ...input }],
				})
			: encodeFunctionData({
					...{ abi, functionName: "exactOutputSingle" as const },
					args: [{ ...single, ...output }],
				});
	}
	const path = encodePath(hops, exact);
	return exact === "in"
		? encodeFunctionData({
				...{ abi, functionName: "exactInput" as const },
				args: [{ path, recipient, ...input }],
			})
		: encodeFunctionData({
				...{ abi, functionName: "exactOutput" as const },
				args: [{ path, recipient, ...output }],
			});
}
