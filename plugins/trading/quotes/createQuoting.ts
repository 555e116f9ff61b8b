// Asks all sources for quotes, and chooses the best route that can be executed.

import type { Clock } from "#core/clock.ts";
import { BPS } from "#plugins/trading/limits.ts";
import { type LocalQuoterDeps, quoteRoute } from "#plugins/trading/quotes/createLocalQuoter.ts";
import {
	askSources,
	type Hop,
	isBetter,
	type QuoteAsk,
	type QuoteSource,
	type SourceAnswer,
	type SourceRoute,
} from "#plugins/trading/quotes/QuoteSource.ts";

/** The chosen route, and how far the sources differ. */
export type PickedRoute = {
	source: string;
	route: SourceRoute & { hops: readonly Hop[] };
	askedAtMs: number;
	/** Between the best and the worst answer; null where only one source answered. */
	divergenceBps: number | null;
	/** Names of sources that are silent: they may have a route, and do not say. */
	missing: readonly string[];
	/** Says whether a source is silent. */
	isOneSilent: boolean;
};

/** The answers of all sources, and the chosen route; null: there is none. */
type Quoted = { answers: readonly SourceAnswer[]; picked: PickedRoute | null };

export type Quoting = { quote(ask: QuoteAsk, signal: AbortSignal): Promise<Quoted> };

const LOCAL = "local";

/** Codes by which a source says that it has no route: that is an answer. */
export const HAS_NONE = /^(no_route|liquidity_insufficient|amount_invalid|router_refused)$/;

/**
 * Makes the function that asks every source and chooses a route. A route of another source is
 * quoted again on chain before it may be chosen: the comparison keeps the source's promise, the
 * trade uses the chain's answer. So a source that promises too much causes a divergence to review,
 * not a bad trade.
 */
export function createQuoting(deps: {
	clock: Clock;
	local: Pick<LocalQuoterDeps, "rpc" | "quoter">;
	sources: readonly QuoteSource[];
	/** Limits the wait for a source, in milliseconds. */
	deadlineMs: number;
}): Quoting {
	const { clock, local, sources, deadlineMs } = deps;
	return {
		async quote(ask, signal) {
			const answers = await askSources(sources, { ask, nowMs: clock.nowMs(), signal, deadlineMs });
			const compared = await Promise.all(
				answers.map((answer) => quoteOnChain(local, { answer, answers, ask, signal })),
			);
			const blockNumber = newestBlock(compared.flat());
			return {
				answers: answers.map((answer) => atBlock(answer, blockNumber)),
				picked: pickRoute(compared.flat(), ask.exact),
			};
		},
	};
}

/**
 * Chooses the best route that can be executed here: the most received, or the least spent; null if
 * there is none. Divergence counts all answers, also routes that are only compared: a source that
 * promises much more than the rest is a reason for a review, whichever of them is right.
 */
export function pickRoute(
	answers: readonly SourceAnswer[],
	exact: "in" | "out",
): PickedRoute | null {
	const routes = answers.filter((answer) => answer.kind === "route");
	let best: (typeof routes)[number] | null = null;
	for (const answer of routes) {
		if (answer.route.hops === null) continue;
		if (best === null || isBetter(answer.route, best.route, exact)) best = answer;
	}
	if (best?.route.hops == null) return null;
	const { source, askedAtMs, route } = best;
	const { hops } = best.route;
	const missing = answers.flatMap((answer) =>
		answer.kind === "none" && !HAS_NONE.test(answer.code) ? [answer.source] : [],
	);
	const amounts = routes.map((one) => (exact === "in" ? one.route.outRaw : one.route.inRaw));
	return {
		...{ source, askedAtMs },
		route: { ...route, hops },
		divergenceBps: routes.length > 1 ? divergenceOf(amounts) : null,
		...{ missing, isOneSilent: missing.length > 0 },
	};
}

async function quoteOnChain(
	local: Pick<LocalQuoterDeps, "rpc" | "quoter">,
	given: {
		answer: SourceAnswer;
		answers: readonly SourceAnswer[];
		ask: QuoteAsk;
		signal: AbortSignal;
	},
): Promise<SourceAnswer[]> {
	const { answer, answers, ask, signal } = given;
	if (answer.kind !== "route" || answer.source === LOCAL) return [answer];
	const { hops } = answer.route;
	if (hops === null) return [answer];
	const promised = { ...answer, route: { ...answer.route, hops: null } };
	const own = answers.find(({ source }) => source === LOCAL);
	if (own?.kind === "route" && Bun.deepEquals(own.route.hops, hops)) {
		return [promised, { ...answer, route: own.route }];
	}
	try {
		const route = await quoteRoute(local, { ask, hops, signal });
		return route
			? [promised, { ...answer, route: { ...route, requestId: answer.route.requestId } }]
			: [promised];
	} catch {
		signal.throwIfAborted();
		// The chain does not say what the route gives, nor its impact: only a feed makes it a yes.
		return [answer];
	}
}

/** Returns the newest block at which the chain quoted; null where it quoted nothing. */
function newestBlock(answers: readonly SourceAnswer[]): bigint | null {
	let newest: bigint | null = null;
	for (const answer of answers) {
		if (answer.kind !== "route" || answer.route.blockNumber === null) continue;
		const { blockNumber } = answer.route;
		if (newest === null || blockNumber > newest) newest = blockNumber;
	}
	return newest;
}

/** Adds the chain's block to the answer of a source that has none of its own. */
function atBlock(answer: SourceAnswer, blockNumber: bigint | null): SourceAnswer {
	if (answer.kind !== "route" || answer.route.blockNumber !== null) return answer;
	return { ...answer, route: { ...answer.route, blockNumber } };
}

/** Returns the distance from the least to the most, in basis points of the most, rounded up. */
function divergenceOf(amounts: readonly bigint[]): number {
	const ordered = amounts.toSorted((one, other) => (one < other ? -1 : 1));
	const [least = 0n] = ordered;
	const most = ordered.at(-1) ?? 0n;
	if (most === 0n) return 0;
	return Number(((most - least) * BPS + most - 1n) / most);
}
