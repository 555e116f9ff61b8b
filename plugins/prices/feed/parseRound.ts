import type { Round } from "#plugins/prices/feed/Round.ts";
import { AHEAD_MS_MAX, ANSWER_BITS_MAX } from "#plugins/prices/limits.ts";

/** Why an answer is no round. `missing` is a gap in a feed's ids. */
export type RoundProblem = "missing" | "malformed" | "not_positive" | "too_large" | "in_future";

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
