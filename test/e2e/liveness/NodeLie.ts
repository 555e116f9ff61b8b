import type { Hex } from "viem";

export type NodeCall = { method: string; params: readonly unknown[] };

/** Asks the node itself, without any lie. */
export type AskNode = <Result = unknown>(
	method: string,
	params?: readonly unknown[],
) => Promise<Result>;

export type NodeAsked = {
	call: NodeCall;
	ask: AskNode;
	/**
	 * Returns a transaction as a node shows it while it is pending, whether or not this node has it.
	 */
	signed(hash: unknown): Record<string, unknown> | null;
};

/** One method that a node answers falsely. */
export type NodeLie = {
	method: string;
	/** How often it lies; without a limit by default. */
	times?: number;
	/**
	 * Returns the answer in place of the truth. `truth` itself is no lie, and is not counted as one.
	 */
	says(truth: any, asked: NodeAsked): unknown;
};

/** A lie about a wallet's calls alone, or about all calls (null). */
export type NodeLieTold = NodeLie & {
	about: Hex | null;
	/** True: it goes on when other lies end. */
	isLong: boolean;
};
