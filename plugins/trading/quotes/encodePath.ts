import { encodePacked } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";

/**
 * Writes a way as Uniswap V3 reads it: token, fee, token, and so on. For an exact output it begins
 * with the token that is received.
 */
export function encodePath(hops: readonly Hop[], exact: "in" | "out"): Hex {
	const [first] = hops;
	if (!first) return "0x";
	const forward: (Hex | number)[] = [first.tokenIn];
	for (const { fee, tokenOut } of hops) forward.push(fee, tokenOut);
	const parts = exact === "in" ? forward : forward.reverse();
	const types = parts.map((part) => (typeof part === "number" ? "uint24" : "address"));
	return encodePacked(types, parts);
}
