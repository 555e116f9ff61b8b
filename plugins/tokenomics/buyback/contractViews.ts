// Makes calls that read contracts, and decodes their answers.

import { parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";

/** Uniswap V3's factory, pool and quoter, as far as they are asked here. */
export const v3Abi = parseAbi([
	"function factory() view returns (address)",
	"function WETH9() view returns (address)",
	"function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
	"function liquidity() view returns (uint128)",
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
	"struct QuoteIn { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
	"function quoteExactInputSingle(QuoteIn params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
]);

/** What is asked of a currency of revenue and of the token. */
export const erc20Abi = parseAbi([
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function totalSupply() view returns (uint256)",
	"function symbol() view returns (string)",
]);

const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

const isBytes = (result: unknown): result is Hex =>
	typeof result === "string" && BYTES.test(result);

/** Returns the call that asks a contract something, at the newest block or as of another. */
export function viewCall(to: Address, data: Hex, block = "latest"): RpcCall {
	return { method: "eth_call", params: [{ to, data }, block] };
}

/**
 * Reads what a contract answered. Null where it refused or answered something else: both are what
 * the contract is like. Where the node did not answer it throws: nothing was learned.
 */
export function decoded<Value>(
	outcome: RpcOutcome | undefined,
	decode: (data: Hex) => Value,
): Value | null {
	const answer = answerOf(outcome);
	if (answer === null) return null;
	try {
		return decode(answer);
	} catch {
		return null;
	}
}

/** Returns the bytes that a call answered; null where it was refused or answered none. */
function answerOf(outcome: RpcOutcome | undefined): Hex | null {
	if (outcome?.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	const result = outcome?.result;
	return isBytes(result) && result !== "0x" ? result : null;
}
