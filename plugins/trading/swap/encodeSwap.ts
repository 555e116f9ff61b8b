import { encodeFunctionData, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import { encodePath, type Hop } from "#plugins/trading/quotes/QuoteSource.ts";

/** What a swap's calldata says, whoever encoded it. */
export type SwapTerms = {
	/** Its way; the tokens are in it. */
	hops: readonly Hop[];
	exact: "in" | "out";
	/** The exact amount: spent for `in`, received for `out`. */
	amountRaw: bigint;
	/** The least that is received for `in`, the most that is spent for `out`. */
	limitRaw: bigint;
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** Who gets what is bought, and what is left of coins that were sent along. */
	recipient: Address;
	/** In seconds, as the chain counts them. */
	deadlineS: bigint;
};

export type EncodedSwap = { data: Hex; valueRaw: bigint };

/** SwapRouter02 reads it as itself: what it holds is unwrapped in the call behind. */
const ROUTER_ITSELF: Address = "0x0000000000000000000000000000000000000002";

const routerAbi = parseAbi([
	"struct InputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
	"struct OutputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }",
	"struct Input { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
	"struct Output { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }",
	"function exactInputSingle(InputSingle params) payable returns (uint256)",
	"function exactOutputSingle(OutputSingle params) payable returns (uint256)",
	"function exactInput(Input params) payable returns (uint256)",
	"function exactOutput(Output params) payable returns (uint256)",
	"function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
	"function refundETH() payable",
	"function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])",
]);
const abi = routerAbi;

/**
 * Writes a swap as Uniswap's SwapRouter02 takes it: the swap, then unwrapping or giving back coins,
 * all behind one deadline. The same bytes as the official SDK's.
 */
export function encodeSwap(terms: SwapTerms): EncodedSwap {
	const { exact, amountRaw, limitRaw, isNativeIn, isNativeOut, recipient, deadlineS } = terms;
	// The router takes 0 for all that it holds itself.
	assert(amountRaw > 0n && limitRaw > 0n, "a swap of nothing is none");
	assert(terms.hops.length > 0, "a swap goes through a pool");
	const calls = [swapCall(terms)];
	if (isNativeOut) {
		const leastRaw = exact === "in" ? limitRaw : amountRaw;
		const args = [leastRaw, recipient] as const;
		calls.push(encodeFunctionData({ abi, functionName: "unwrapWETH9", args }));
	}
	if (isNativeIn && exact === "out") {
		calls.push(encodeFunctionData({ abi, functionName: "refundETH" }));
	}
	const data = encodeFunctionData({ abi, functionName: "multicall", args: [deadlineS, calls] });
	const mostRaw = exact === "in" ? amountRaw : limitRaw;
	return { data, valueRaw: isNativeIn ? mostRaw : 0n };
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
