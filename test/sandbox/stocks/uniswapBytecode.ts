import { createRequire } from "node:module";
import { type Hex, isHex } from "viem";
import { z } from "zod";

const artifacts = {
	factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
	router: "@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json",
	quoter: "@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
	v4Manager: "@uniswap/v4-core/out/PoolManager.sol/PoolManager.json",
	v4Quoter: "@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json",
	v4StateView: "@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json",
} as const;
const code = z.custom<Hex>((value) => isHex(value));
/** An artifact of Hardhat, or of Foundry. */
const Artifact = z.object({
	bytecode: z.union([code, z.object({ object: code }).transform(({ object }) => object)]),
});

/** Returns the creation code that Uniswap published. */
export function uniswapBytecode(of: keyof typeof artifacts): Hex {
	return Artifact.parse(createRequire(import.meta.url)(artifacts[of])).bytecode;
}
