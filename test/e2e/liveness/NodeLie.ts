import type { Hex } from "viem";

export type NodeCall = { method: string; params: readonly unknown[] };

/** Asks the node itself, past every lie. */
export type AskNode = <Result = unknown>(
	method: string,
	params?: readonly unknown[],
) => Promise<Result>;

export type NodeAsked = {
	call: NodeCall;
	ask: AskNode;
	/** A transaction as a node would show it while it waits, whether or not this one has it. */
	signed(hash: unknown): Record<string, unknown> | null;
};

/** One method that a node answers falsely. */
export type NodeLie = {
	method: string;
	/** How often; for as long as it lies without it. */
	times?: number;
	/** What is said in place of the truth. `truth` itself is no lie, and is not counted as one. */
	says(truth: any, asked: NodeAsked): unknown;
};

/** The same of a wallet's calls alone, or of everybody's (null). */
export type NodeLieTold = NodeLie & {
	about: Hex | null;
	/** It goes on when others end. */
	isLong: boolean;
};
