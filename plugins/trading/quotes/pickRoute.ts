import { BPS } from "#plugins/trading/limits.ts";
import type { SourceAnswer } from "#plugins/trading/quotes/askSources.ts";
import type { Hop, SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";

/** The chosen route, and how far the sources differ. */
export type PickedRoute = {
	source: string;
	route: SourceRoute & { hops: readonly Hop[] };
	askedAtMs: number;
	/** Between the best and the worst answer; null where only one source answered. */
	divergenceBps: number | null;
	/** Names of sources without an answer. */
	missing: readonly string[];
};

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
	const amounts = routes.map((one) => (exact === "in" ? one.route.outRaw : one.route.inRaw));
	return {
		...{ source, askedAtMs },
		route: { ...route, hops },
		divergenceBps: routes.length > 1 ? divergenceOf(amounts) : null,
		missing: answers.flatMap((answer) => (answer.kind === "none" ? [answer.source] : [])),
	};
}

function isBetter(one: SourceRoute, other: SourceRoute, exact: "in" | "out"): boolean {
	return exact === "in" ? one.outRaw > other.outRaw : one.inRaw < other.inRaw;
}

/** Returns the distance from the least to the most, in basis points of the most, rounded up. */
function divergenceOf(amounts: readonly bigint[]): number {
	const ordered = amounts.toSorted((one, other) => (one < other ? -1 : 1));
	const [least = 0n] = ordered;
	const most = ordered.at(-1) ?? 0n;
	if (most === 0n) return 0;
	return Number(((most - least) * BPS + most - 1n) / most);
}
