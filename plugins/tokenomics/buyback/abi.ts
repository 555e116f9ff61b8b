import { parseAbi } from "viem";

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
