import { encodePacked } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";

/** One pool on the route from one token to another. */
export type Hop = {
	version: "v3";
	pool: Address;
	tokenIn: Address;
	tokenOut: Address;
	/** The pool's fee in hundredths of a basis point. */
	fee: number;
};

/** The swap to quote. The native coin appears as its wrapped form. */
export type QuoteAsk = {
	chainId: number;
	tokenIn: Address;
	tokenOut: Address;
	/** Whether the native coin itself is paid, or received. */
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** `in`: all of `amountRaw` is spent. `out`: exactly `amountRaw` is received. */
	exact: "in" | "out";
	amountRaw: bigint;
	/** The address that would swap. */
	taker: Address;
};

/** A route for a swap, and the amounts that it gives. */
export type SourceRoute = {
	/** Null: a route for comparison and the record only, which is not executed here. */
	hops: readonly Hop[] | null;
	inRaw: bigint;
	outRaw: bigint;
	/** The chain's block when it was quoted there; null: the source did not ask the chain. */
	blockNumber: bigint | null;
	/** How much worse the price is than for a small amount, in basis points; null: not known. */
	impactBps: number | null;
	/** The source's own id of its answer. */
	requestId: string | null;
	/** The source's other answers, for the record. */
	detail: Readonly<Record<string, unknown>>;
};

/** A service that quotes swaps. Throws Faults where it has no quote. */
export type QuoteSource = {
	name: string;
	ask(ask: QuoteAsk, signal: AbortSignal): Promise<SourceRoute>;
};

/**
 * Encodes a route as Uniswap V3 reads it: token, fee, token, and so on. For an exact output it
 * begins with the token that is received.
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
