// Defines what a source of quotes is, asks several at once, and compares routes.

import { encodePacked } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";

/** Holds one pool on the route from one token to another. */
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
	/** True if the native coin itself is paid, or received. */
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
	/** The loss against the price for a small amount, in basis points; null: not known. */
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

/** The answer of one source, and when it was asked; or why there was none. */
export type SourceAnswer =
	| { kind: "route"; source: string; route: SourceRoute; askedAtMs: number }
	| { kind: "none"; source: string; code: string; detail: string; askedAtMs: number };

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

/**
 * Asks all sources at the same time and returns their answers in the same order. A source that is
 * not done by the deadline counts as having no answer.
 */
export async function askSources(
	sources: readonly QuoteSource[],
	given: { ask: QuoteAsk; nowMs: number; signal: AbortSignal; deadlineMs: number },
): Promise<SourceAnswer[]> {
	const { ask, nowMs: askedAtMs, signal, deadlineMs } = given;
	const deadline = AbortSignal.timeout(deadlineMs);
	const both = AbortSignal.any([signal, deadline]);
	return Promise.all(
		sources.map(async (source): Promise<SourceAnswer> => {
			const { name } = source;
			try {
				const route = await orAborted(source.ask(ask, both), both);
				return { kind: "route", source: name, route, askedAtMs };
			} catch (error) {
				signal.throwIfAborted();
				const none = { kind: "none", source: name, askedAtMs } as const;
				if (deadline.aborted) {
					return { ...none, code: "source_timeout", detail: "It did not answer in time." };
				}
				if (!(error instanceof Fault)) throw error;
				return { ...none, code: error.code, detail: error.publicDetail };
			}
		}),
	);
}

/** Returns true if `one` receives more, or spends less. Of two equal routes the first stays. */
export function isBetter(one: SourceRoute, other: SourceRoute, exact: "in" | "out"): boolean {
	return exact === "in" ? one.outRaw > other.outRaw : one.inRaw < other.inRaw;
}

/** Rejects when the signal aborts, even if the source ignores its signal. */
function orAborted<Result>(answer: Promise<Result>, signal: AbortSignal): Promise<Result> {
	const { promise, resolve, reject } = Promise.withResolvers<Result>();
	const giveUp = () => reject(signal.reason);
	signal.addEventListener("abort", giveUp, { once: true });
	answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
	return promise;
}
