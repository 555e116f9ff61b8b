import type { Chain } from "#core/chain/Chain.ts";
import { blocksAheadMax } from "#core/chain/heads/blocksAheadMax.ts";
import { createHeadJudge } from "#core/chain/rpc/createHeadJudge.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import {
	type Endpoint,
	type EndpointOptions,
	openEndpoint,
	type RpcEndpoint,
} from "#core/chain/rpc/openEndpoint.ts";
import type { RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { type Incumbent, rankEndpoints } from "#core/chain/rpc/rankEndpoints.ts";

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
