import { parseAbi } from "viem";
import { makerAbi } from "../stocks/stockAbi.ts";

export const tokenMakerAbi = [
	...makerAbi,
	...parseAbi(["function remember(address pool, uint16 cardinality)"]),
] as const;

/** Uniswap's oracle. */
export const oracleAbi = parseAbi([
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)",
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);
