import { encodeFunctionResult, parseAbi, toFunctionSelector } from "viem";
import type { Calls } from "#test/conformance/provider/chain/createAggregator.ts";
import type { Coin } from "#test/conformance/provider/world/World.ts";

const tokenAbi = parseAbi([
	"function decimals() view returns (uint8)",
	"function symbol() view returns (string)",
]);

/** Returns the calls that an ERC-20 contract answers about itself. */
export function createToken({ address, symbol, decimals }: Coin): Calls {
	const answers = new Map([
		[
			toFunctionSelector(tokenAbi[0]),
			encodeFunctionResult({ abi: tokenAbi, functionName: "decimals", result: decimals }),
		],
		[
			toFunctionSelector(tokenAbi[1]),
			encodeFunctionResult({ abi: tokenAbi, functionName: "symbol", result: symbol }),
		],
	]);
	return (to, data) => (to === address ? (answers.get(data) ?? null) : undefined);
}
