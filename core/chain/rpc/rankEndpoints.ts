import type { EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";

/** The endpoint in first place while none is clearly better, and since when. */
export type Incumbent = { index: number; sinceMs: number };

export type Ranking = {
	/** Indexes of all that may be asked now, first to last. */
	order: readonly number[];
	incumbent: Incumbent;
};

/** A challenger must take less than this part of the incumbent's time … */
const CHALLENGE_SHARE = 0.7;
/** … and this much less … */
const CHALLENGE_MARGIN_MS = 20;
/** … and the incumbent must have held the place for this long. */
const INCUMBENCY_MIN_MS = 60_000;
/** The assumed time of an endpoint that was never measured. */
const UNKNOWN_COST_MS = 500;

/**
 * Returns the order in which endpoints are asked. The last one stays first, unless it failed, lied
 * or another is clearly faster: answers of one node fit together better than those of two.
 *
 * Suspects are asked last, before them those known to lack a block that the question needs.
 * Endpoints with a retry time are left out.
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

/** Returns the ratio of times for the heaviest kind of request known of both; null if none is. */
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
