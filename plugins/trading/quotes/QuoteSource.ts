import { encodePacked } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";

/** One pool on the way from one token to another. */
export type Hop = {
	version: "v3";
	pool: Address;
	tokenIn: Address;
	tokenOut: Address;
	/** In hundredths of a basis point. */
	fee: number;
};

/** What is to be swapped. The native coin is its wrapped form here. */
export type QuoteAsk = {
	chainId: number;
	tokenIn: Address;
	tokenOut: Address;
	/** Whether the coin itself goes in, or comes out. */
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** `in`: all of `amountRaw` is spent. `out`: exactly that much is received. */
	exact: "in" | "out";
	amountRaw: bigint;
	/** Who would swap. */
	taker: Address;
};

/** A way to swap, and what it gives. */
export type SourceRoute = {
	/** Null: a way that is compared with and recorded, and not executed here. */
	hops: readonly Hop[] | null;
	inRaw: bigint;
	outRaw: bigint;
	/** The block it was found at, as the source says. */
	blockNumber: bigint;
	/** How much worse than for a small amount, in basis points; null: not known. */
	impactBps: number | null;
	/** The source's own name for its answer. */
	requestId: string | null;
	/** What else it said, for the record. */
	detail: Readonly<Record<string, unknown>>;
};

/** Somebody who says what a swap gives. Throws Faults where they do not say. */
export type QuoteSource = {
	name: string;
	ask(ask: QuoteAsk, signal: AbortSignal): Promise<SourceRoute>;
};

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
