import type { Clock } from "#core/clock/Clock.ts";
import { askSources, type SourceAnswer } from "#plugins/trading/quotes/askSources.ts";
import { type LocalQuoterDeps, quoteRoute } from "#plugins/trading/quotes/createLocalQuoter.ts";
import { type PickedRoute, pickRoute } from "#plugins/trading/quotes/pickRoute.ts";
import type { QuoteAsk, QuoteSource } from "#plugins/trading/quotes/QuoteSource.ts";

/** What all sources said, and the way that is taken; null: there is none. */
export type Quoted = { answers: readonly SourceAnswer[]; picked: PickedRoute | null };

export type Quoting = { quote(ask: QuoteAsk, signal: AbortSignal): Promise<Quoted> };

/**
 * Asks every source and chooses. A way that somebody else found is played on the chain before it
 * may be taken: what they promised stays in the comparison, and what the chain says counts. So a
 * source that promises too much is a divergence to look at, and nothing that is executed.
 */
export function createQuoting(deps: {
	clock: Clock;
	local: Pick<LocalQuoterDeps, "rpc" | "quoter">;
	sources: readonly QuoteSource[];
	/** No source is waited for longer. */
	deadlineMs: number;
}): Quoting {
	const { clock, local, sources, deadlineMs } = deps;
	return {
		async quote(ask, signal) {
			const answers = await askSources(sources, { ask, nowMs: clock.nowMs(), signal, deadlineMs });
			const compared = await Promise.all(
				answers.map((answer) => playedAgain(local, { answer, answers, ask, signal })),
			);
			return { answers, picked: pickRoute(compared.flat(), ask.exact) };
		},
	};
}

const LOCAL = "local";

async function playedAgain(
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
		// The chain's own quoter does not answer: the plan's simulation and its least amount decide.
		return [answer];
	}
}
