import { createRequire } from "node:module";
import { type Hex, isHex } from "viem";
import { z } from "zod";

const artifacts = {
	factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
	router: "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
	quoter: "@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
} as const;
const Artifact = z.object({ bytecode: z.custom<Hex>((value) => isHex(value)) });

/** Returns the creation code that Uniswap published. */
export function uniswapBytecode(of: keyof typeof artifacts): Hex {
	return Artifact.parse(createRequire(import.meta.url)(artifacts[of])).bytecode;
}
