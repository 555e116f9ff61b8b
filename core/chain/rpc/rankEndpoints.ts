import type { EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";

/** Who is asked first as long as nobody is clearly better, and since when. */
export type Incumbent = { index: number; sinceMs: number };

export type Ranking = {
	/** Indexes of all who may be asked now, first to last. */
	order: readonly number[];
	incumbent: Incumbent;
};

/** A challenger must take less than this part of the incumbent's time … */
const CHALLENGE_SHARE = 0.7;
/** … and this much less … */
const CHALLENGE_MARGIN_MS = 20;
/** … and the incumbent have been it for this long. */
const INCUMBENCY_MIN_MS = 60_000;
/** What an endpoint is taken for that was never measured. */
const UNKNOWN_COST_MS = 500;

/**
 * In which order endpoints are asked. Whoever was asked last stays first, unless it failed, lied or
 * another is clearly faster: two answers of two nodes fit together less well than two of one.
 *
 * Suspects are asked last, before them those known to lack a block that the question needs. Who
 * asked to be left alone is not in the order at all.
 */
export function rankEndpoints(
	healths: readonly EndpointHealth[],
	question: { incumbent: Incumbent; minBlock?: number | undefined; nowMs: number },
): Ranking {
	const { minBlock, nowMs } = question;
	const incumbent = elect(healths, question);
	const candidates = healths.map((health, index) => ({
		index,
		isAway: nowMs < health.asideUntilMs(),
		isSuspect: health.isSuspect(nowMs),
		block: minBlock === undefined ? 0 : BLOCK_RANK[health.knows(minBlock, nowMs)],
		isIncumbent: index === incumbent.index,
		costMs: health.costMs("light", nowMs) ?? UNKNOWN_COST_MS,
	}));
	const order = candidates
		.filter(({ isAway }) => !isAway)
		.sort(
			(one, other) =>
				Number(one.isSuspect) - Number(other.isSuspect) ||
				one.block - other.block ||
				Number(other.isIncumbent) - Number(one.isIncumbent) ||
				one.costMs - other.costMs ||
				one.index - other.index,
		)
		.map(({ index }) => index);
	return { order, incumbent };
}

const BLOCK_RANK = { has: 0, unknown: 1, lacks: 2 };

function elect(
	healths: readonly EndpointHealth[],
	{ incumbent, nowMs }: { incumbent: Incumbent; nowMs: number },
): Incumbent {
	const current = healths[incumbent.index];
	if (!current || nowMs - incumbent.sinceMs < INCUMBENCY_MIN_MS) return incumbent;
	let best = incumbent;
	let bestShare = CHALLENGE_SHARE;
	for (const [index, health] of healths.entries()) {
		if (health === current || health.isSuspect(nowMs) || nowMs < health.asideUntilMs()) continue;
		const share = shareOf(health, current, nowMs);
		if (share === null || share >= bestShare) continue;
		best = { index, sinceMs: nowMs };
		bestShare = share;
	}
	return best;
}

/** By the heaviest kind of request of which both are known; null where there is none. */
function shareOf(
	challenger: EndpointHealth,
	current: EndpointHealth,
	nowMs: number,
): number | null {
	for (const callClass of ["logs", "light"] as const) {
		const costMs = challenger.costMs(callClass, nowMs);
		const currentMs = current.costMs(callClass, nowMs);
		if (costMs === null || currentMs === null) continue;
		return currentMs - costMs > CHALLENGE_MARGIN_MS ? costMs / currentMs : 1;
	}
	return null;
}
