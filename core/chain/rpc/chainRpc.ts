// Makes the RPC client of a chain over all of its endpoints.

import type { Chain } from "#core/chain/Chain.ts";
import { createTurns, refused, unreadableIn } from "#core/chain/rpc/askInTurn.ts";
import { createPool, type EndpointPool } from "#core/chain/rpc/createPool.ts";
import { findAgreement } from "#core/chain/rpc/findAgreement.ts";
import type { Endpoint, RpcEndpoint, RpcQuestion } from "#core/chain/rpc/openEndpoint.ts";
import {
	type Rpc,
	type RpcInconsistency,
	type RpcOutcome,
	type RpcQuorum,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import type { RpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import type { Clock } from "#core/clock.ts";
import { stableJson } from "#core/json.ts";
import type { Log } from "#core/log.ts";

export type ChainRpcOptions = {
	chain: Chain;
	endpoints: readonly RpcEndpoint[];
	clock: Clock;
	log: Log;
	metrics?: RpcMetrics | undefined;
	/** The number of endpoints that must agree if a question requires a quorum. */
	quorum?: number | undefined;
	/** An endpoint without a question for this long is probed for its speed and head. */
	probeAfterMs?: number | undefined;
};

/**
 * Makes the JSON-RPC client of a chain over its endpoints: the one that served last, until it
 * fails, lies, or another is clearly better.
 *
 * Only silence passes a question on to the next endpoint, and an unreadable answer counts as
 * silence, as does one that somebody waits for and that is long overdue; a node's own refusal
 * would be the same elsewhere.
 */
export function chainRpc(options: ChainRpcOptions): Rpc {
	const pool = createPool(options);
	const { question, distrust } = createAsker(options, pool);
	return {
		call: (call, callOptions = {}) =>
			question({
				calls: [call],
				options: callOptions,
				put: (rpc) => rpc.call(call, callOptions),
				results: (result) => [result],
			}),
		batch: (calls, callOptions = {}) =>
			question({
				calls,
				options: callOptions,
				put: (rpc) => rpc.batch(calls, callOptions),
				results: (results) => results,
			}),
		settle: (calls, callOptions = {}) =>
			question({
				calls,
				options: callOptions,
				put: (rpc) => rpc.settle(calls, callOptions),
				results: (outcomes) => outcomes.map(resultOf),
				without: (outcomes, places) =>
					outcomes.map((outcome, place) => {
						return places.has(place) ? { kind: "fault", fault: rpcFault.unreadable() } : outcome;
					}),
			}),
		distrust,
		isScarce: () => pool.endpoints.some(({ rpc, health }) => rpc.isScarce?.() || health.isFar()),
		stats() {
			const sum = { requests: 0, calls: 0, bytes: 0 };
			for (const { rpc } of pool.endpoints) {
				const stats = rpc.stats();
				sum.requests += stats.requests;
				sum.calls += stats.calls;
				sum.bytes += stats.bytes;
			}
			return sum;
		},
	};
}

function createAsker({ clock, quorum = 1 }: ChainRpcOptions, pool: EndpointPool) {
	/** The endpoints of the newest answer. Lanes share a pool: for `distrust` that is good enough. */
	let served: readonly Endpoint[] = [];
	const inTurn = createTurns({ clock, pool, onServed });

	return { question, distrust };

	async function question<Result>(asked: RpcQuestion<Result>): Promise<Result> {
		const ranked = pool.order(asked.options);
		const { second, heard } = asked.options;
		const order = second ? othersFirst(ranked, heard ?? served.map(({ name }) => name)) : ranked;
		if (!asked.options.quorum || quorum < 2) return inTurn(asked, order);
		return inQuorum(asked, asked.options.quorum, order);
	}

	async function inQuorum<Result>(
		asked: RpcQuestion<Result>,
		by: RpcQuorum,
		members: readonly Endpoint[],
	): Promise<Result> {
		const { minBlock } = asked.options;
		const { answer, agreed, dissenting } = await findAgreement({
			members,
			size: quorum,
			async ask(endpoint) {
				const answer = await endpoint.ask(asked);
				// An endpoint without the block does not contradict those that have it.
				const lacks = minBlock !== undefined && !hasBlock(endpoint, minBlock);
				if (lacks) throw rpcFault.transport({ detail: `${endpoint.name} lacks ${minBlock}` });
				const places = unreadableIn(asked, answer);
				if (places.size > 0) throw refused(endpoint, asked, places);
				return answer;
			},
			digest: (answer: Result) => digestOf(asked.results(answer), by),
			onConflict: (all) => all.forEach(differs),
		});
		dissenting.forEach(differs);
		served = agreed;
		for (const { name } of agreed) asked.options.heard?.add(name);
		return answer;
	}

	function onServed(endpoint: Endpoint) {
		served = [endpoint];
	}

	function distrust(kind: RpcInconsistency, heard?: ReadonlySet<string>) {
		const named = pool.endpoints.filter(({ name }) => heard?.has(name));
		for (const endpoint of heard ? named : served) endpoint.caught(kind);
	}

	function hasBlock({ health }: Endpoint, block: number): boolean {
		return health.knows(block, clock.nowMs()) !== "lacks";
	}
}

/** Returns the endpoints, those that already answered at the end. */
function othersFirst(order: readonly Endpoint[], heard: Iterable<string>): readonly Endpoint[] {
	const names = new Set(heard);
	const isHeard = ({ name }: Endpoint) => names.has(name);
	return [...order.filter((one) => !isHeard(one)), ...order.filter(isHeard)];
}

function digestOf(results: readonly unknown[], by: RpcQuorum): string {
	const digests = results.map((result, index) => {
		if (result === undefined) return "refused";
		return by === true ? stableJson(result) : by.digest(result, index);
	});
	return JSON.stringify(digests);
}

function differs(endpoint: Endpoint) {
	endpoint.caught("disagreement");
}

function resultOf(outcome: RpcOutcome): unknown {
	return outcome.kind === "result" ? outcome.result : undefined;
}
