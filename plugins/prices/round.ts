// Builds the calls to price feeds, and parses their answers.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import { AHEAD_MS_MAX, ANSWER_BITS_MAX } from "#plugins/prices/limits.ts";

/** Holds one answer of an aggregator. Behind a proxy the id is `phase << 64 | round`. */
export type Round = { id: bigint; answer: bigint; updatedAtMs: number };

/** Names why an answer is no round. `missing` is a gap in a feed's ids. */
export type RoundProblem = "missing" | "malformed" | "not_positive" | "too_large" | "in_future";

/** The most gas that an untrusted contract may use. */
const GAS_MAX = "0x7a120";

/** Selectors of the newest round and of decimals, for callers that build their calls otherwise. */
export const feedSelectors: Record<"latestRound" | "decimals", Hex> = {
	latestRound: "0xfeaf968c",
	decimals: "0x313ce567",
};

/** Calls to aggregators (Chainlink's AggregatorV3Interface and its proxy) and tokens. */
export const feedCalls = {
	latestRound: (feed: Address) => view(feed, feedSelectors.latestRound),
	round: (feed: Address, id: bigint) => view(feed, `0x9a6fc8f5${word(id)}`),
	decimals: (of: Address) => view(of, feedSelectors.decimals),
	/** Returns the call for the aggregator behind a proxy in one phase. */
	phaseAggregator: (feed: Address, phase: bigint) => view(feed, `0xc1597304${word(phase)}`),
	/** Returns the call for an aggregator's own newest round id, without a phase. */
	latestRoundId: (aggregator: Address) => view(aggregator, "0x668a0f02"),
};

/** Words of an answer: round id, answer, started at, updated at, answered in round. */
const ROUND_WORDS = 5;
const SIGN_BIT = 1n << 255n;
/** Round ids are uint80. */
const ID_END = 1n << 80n;

/** Parses the answer of `latestRoundData` or `getRoundData`, and checks every part of it. */
export function parseRound(
	answer: unknown,
	nowMs: number,
): { kind: "round"; round: Round } | { kind: "problem"; problem: RoundProblem } {
	if (answer === "0x" || answer === null) return problem("missing");
	if (typeof answer !== "string" || !/^0x[0-9a-f]{320}$/i.test(answer)) return problem("malformed");
	const words = Array.from({ length: ROUND_WORDS }, (_, index) =>
		BigInt(`0x${answer.slice(2 + index * 64, 66 + index * 64)}`),
	);
	const [id = 0n, price = 0n, , updatedAt = 0n] = words;
	if (updatedAt === 0n) return problem("missing");
	if (id === 0n || id >= ID_END) return problem("malformed");
	if (price === 0n || price >= SIGN_BIT) return problem("not_positive");
	if (price >> ANSWER_BITS_MAX !== 0n) return problem("too_large");
	if (updatedAt * 1_000n > BigInt(nowMs + AHEAD_MS_MAX)) return problem("in_future");
	return { kind: "round", round: { id, answer: price, updatedAtMs: Number(updatedAt) * 1_000 } };
}

function problem(name: RoundProblem): { kind: "problem"; problem: RoundProblem } {
	return { kind: "problem", problem: name };
}

function view(to: Address, data: Hex): RpcCall {
	return { method: "eth_call", params: [{ to, data, gas: GAS_MAX }, "latest"] };
}

function word(value: bigint): string {
	return value.toString(16).padStart(64, "0");
}
