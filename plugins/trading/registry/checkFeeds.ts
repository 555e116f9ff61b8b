import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { feedAnswers } from "#plugins/prices/contract.ts";

/** An answer with more decimals is not a price. */
export const FEED_DECIMALS_MAX = 36;

const CALLS_PER_FEED = 2;

/**
 * Reads price feeds and returns those whose newest answer cannot be a price. A feed that a node did
 * not answer for is not included. Throws where no node answers.
 */
export async function checkFeeds(
	rpc: Rpc,
	{ feeds, nowMs, signal }: { feeds: Iterable<Address>; nowMs: number; signal: AbortSignal },
): Promise<Set<Address>> {
	const asked = [...new Set(feeds)];
	const calls = asked.flatMap((feed) => [
		feedAnswers.latestRound(feed),
		feedAnswers.decimals(feed),
	]);
	const outcomes = calls.length === 0 ? [] : await rpc.settle(calls, { signal });
	const unreadable = asked.filter((_, index) => {
		const [round, decimals] = outcomes
			.slice(index * CALLS_PER_FEED, (index + 1) * CALLS_PER_FEED)
			.map((outcome) => {
				if (outcome.kind === "result") return { answer: outcome.result };
				return outcome.fault.code === "rpc_refused" ? { answer: null } : null;
			});
		if (!round || !decimals) return false;
		const places = readAbiUint(decimals.answer);
		const isFeed = feedAnswers.parseRound(round.answer, nowMs).kind === "round";
		return !isFeed || places === null || places > BigInt(FEED_DECIMALS_MAX);
	});
	return new Set(unreadable);
}
