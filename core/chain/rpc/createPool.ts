// Ranks a chain's endpoints for each question, and judges the heads that they name.

import type { Chain } from "#core/chain/Chain.ts";
import { BLOCK_NUMBER_MAX } from "#core/chain/Hex.ts";
import { blocksAheadMax } from "#core/chain/heads/Head.ts";
import type { EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import {
	type Endpoint,
	type EndpointOptions,
	type HeadJudge,
	openEndpoint,
	type RpcEndpoint,
} from "#core/chain/rpc/openEndpoint.ts";
import { type RpcOptions, rpcFault } from "#core/chain/rpc/Rpc.ts";

/** The endpoint in first place while none is clearly better, and since when. */
export type Incumbent = { index: number; sinceMs: number };

export type Ranking = {
	/** Indexes of all that may be asked now, first to last. */
	order: readonly number[];
	incumbent: Incumbent;
};

export type EndpointPool = {
	endpoints: readonly Endpoint[];
	/** Returns the endpoints to ask, first to last; throws if all have a retry time. */
	order(options: RpcOptions): readonly Endpoint[];
	/** Reports that an endpoint answered a question in that order. */
	served(endpoint: Endpoint): void;
};

export type EndpointPoolOptions = Omit<EndpointOptions, "bestBlock" | "judge"> & {
	chain: Chain;
	endpoints: readonly RpcEndpoint[];
	/** An endpoint without a question for this long is probed for its speed and head. */
	probeAfterMs?: number | undefined;
};

type Heard = { block: number; atMs: number };

/** An endpoint whose head has not moved for this long shows nothing about the chain's head. */
const MOVING_MS = 60_000;

/** A challenger must take less than this part of the incumbent's time … */
const CHALLENGE_SHARE = 0.7;
/** … and this much less … */
const CHALLENGE_MARGIN_MS = 20;
/** … and the incumbent must have held the place for this long. */
const INCUMBENCY_MIN_MS = 60_000;
/** The assumed time of an endpoint that was never measured. */
const UNKNOWN_COST_MS = 500;

const BLOCK_RANK = { has: 0, unknown: 1, lacks: 2 };

const PROBE_AFTER_MS = 60_000;

/** Makes the pool of a chain's endpoints, which ranks them for each question. */
export function createPool(options: EndpointPoolOptions): EndpointPool {
	const { chain, clock, probeAfterMs = PROBE_AFTER_MS } = options;
	const judge = createHeadJudge();
	const endpoints: readonly Endpoint[] = options.endpoints.map((definition) =>
		openEndpoint(definition, { ...options, bestBlock, judge }),
	);
	let incumbent: Incumbent = { index: 0, sinceMs: Number.NEGATIVE_INFINITY };

	return {
		endpoints,
		order(question) {
			const order = rank(question);
			if (order.length === 0) throw nobody();
			probeOthers(order[0]);
			return order;
		},
		served: servedBy,
	};

	function rank({ minBlock }: RpcOptions): Endpoint[] {
		const healths = endpoints.map(({ health }) => health);
		const ranking = rankEndpoints(healths, { incumbent, minBlock, nowMs: clock.nowMs() });
		incumbent = ranking.incumbent;
		return ranking.order.flatMap((index) => endpoints[index] ?? []);
	}

	/** Gives the first place to the endpoint that answered, if the holder failed. */
	function servedBy(endpoint: Endpoint) {
		const nowMs = clock.nowMs();
		const seated = endpoints[incumbent.index]?.health;
		const isLost = !seated || seated.isSuspect(nowMs) || nowMs < seated.asideUntilMs();
		if (isLost) incumbent = { index: endpoints.indexOf(endpoint), sinceMs: nowMs };
	}

	/**
	 * Probes other endpoints in the background: the result serves the next questions, not this one.
	 */
	function probeOthers(first: Endpoint | undefined) {
		const nowMs = clock.nowMs();
		for (const endpoint of endpoints) {
			const { health } = endpoint;
			if (endpoint === first || nowMs < health.asideUntilMs()) continue;
			const isDue = health.isSuspect(nowMs)
				? nowMs >= health.restsUntilMs()
				: nowMs - health.answeredAtMs() > probeAfterMs;
			if (isDue) endpoint.probe();
		}
	}

	function bestBlock(): number {
		const nowMs = clock.nowMs();
		const trusted = endpoints.filter(({ health }) => !health.isSuspect(nowMs));
		const heads = trusted.map(({ health }) => health.headBlock()).sort((one, other) => other - one);
		// If two contradict each other it is unknown which is wrong, so neither counts as behind.
		return (
			heads.find((head, place) => head <= (heads[place + 1] ?? head) + blocksAheadMax(0)) ?? -1
		);
	}

	function nobody() {
		if (endpoints.length === 0) {
			return rpcFault.transport({ detail: `${chain.slug} has no endpoint` });
		}
		const nextMs = Math.min(...endpoints.map(({ health }) => health.asideUntilMs()));
		const retryAfterMs = Math.max(nextMs - clock.nowMs(), 0);
		const detail = `every endpoint of ${chain.slug} asked to be left alone`;
		return rpcFault.transport({ detail, meta: { retryAfterMs } });
	}
}

/**
 * Makes the judge of heads, by the answers of all endpoints of a chain. A head that is implausibly
 * far ahead of the moving ones is false until a second answer agrees: another endpoint's, or, if no
 * other one contradicts it, its own next one.
 *
 * Only ahead: an endpoint that is behind is asked last anyway, and a head that jumped back counts
 * as the newest answer.
 */
export function createHeadJudge(): HeadJudge {
	const believed = new Map<string, Heard>();
	const claimed = new Map<string, Heard>();

	return {
		believes(endpoint, { block, nowMs }) {
			const isWithin = ({ block: from, atMs }: Heard) => {
				return block <= from + blocksAheadMax(nowMs - atMs);
			};
			const isAgreed = (claim: Heard) =>
				isWithin(claim) && block >= claim.block - blocksAheadMax(0);
			const isOthers = ([name, { atMs }]: [string, Heard]) => {
				return name !== endpoint && nowMs - atMs <= MOVING_MS;
			};
			const others = [...believed].filter(isOthers).map(([, heard]) => heard);
			const own = believed.get(endpoint);
			const ownClaim = claimed.get(endpoint);
			const isAlone = others.length === 0;
			const isPlausible = isAlone ? !own || isWithin(own) : others.some(isWithin);
			const second = [...claimed].filter(isOthers).map(([, heard]) => heard);
			if (isAlone && ownClaim) second.push(ownClaim);
			const isBelieved = block <= BLOCK_NUMBER_MAX && (isPlausible || second.some(isAgreed));
			if (!isBelieved) {
				claimed.set(endpoint, { block, atMs: nowMs });
				return false;
			}
			claimed.delete(endpoint);
			if (own?.block !== block) believed.set(endpoint, { block, atMs: nowMs });
			return true;
		},
	};
}

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
