// Asks a chain's endpoints one after the other, and one beside another that is overdue.

import type { EndpointPool } from "#core/chain/rpc/createPool.ts";
import type { Endpoint, RpcQuestion } from "#core/chain/rpc/openEndpoint.ts";
import { callClassOf, type RpcPurpose, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { isSilence } from "#core/chain/rpc/readAnswers.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import { sleep } from "#core/time.ts";

/** An endpoint's answer, and its unreadable positions. */
type Partly<Result> = { result: Result; places: ReadonlySet<number> };

/** A question as it was put to one endpoint; `done` never throws. */
type Attempt<Result> = { endpoint: Endpoint; done: Promise<Tried<Result>> };

type Tried<Result> =
	| { kind: "answer"; by: Attempt<Result>; result: Result; places: ReadonlySet<number> }
	| { kind: "error"; by: Attempt<Result>; error: unknown; places?: undefined };

/** Lists the purposes of calls for which a person waits. */
const HEDGED: ReadonlySet<RpcPurpose> = new Set(["intents", "requests"]);
/** Matches methods that change nothing, however often they are asked. */
const READS =
	/^eth_(?:blockNumber|call|chainId|estimateGas|feeHistory|gasPrice|maxPriorityFeePerGas|get[A-Z]\w*)$/;
/** Says after how many of an endpoint's usual times the next endpoint is asked too. */
const HEDGE_TIMES = 4;
const HEDGE_MIN_MS = 150;
const HEDGE_MAX_MS = 2_000;
/** Says after how long the next endpoint is asked where too little is known of the first. */
const HEDGE_UNKNOWN_MS = 1_000;
/**
 * Limits the hedged calls of one chain: an endpoint that is slow under load must not double the
 * load of the others.
 */
const HEDGES_AT_ONCE_MAX = 16;
const OVERTAKEN_MAX = 3;

type Hedges = ReturnType<typeof createHedges>;

/**
 * Asks one endpoint after the other: the next one where one is silent. For reads that a person
 * waits for, the next one is asked in parallel before the time limit, and whichever answers first
 * is used whole.
 */
export function createTurns(given: {
	clock: Clock;
	pool: Pick<EndpointPool, "served">;
	/** Called with the endpoint whose answer is used. */
	onServed(endpoint: Endpoint): void;
}) {
	const { clock, pool, onServed } = given;
	const hedges = createHedges(clock);

	return async function inTurn<Result>(
		asked: RpcQuestion<Result>,
		order: readonly Endpoint[],
	): Promise<Result> {
		let last: unknown;
		let partly: Partly<Result> | null = null;
		const open: Attempt<Result>[] = [];
		// Without another endpoint, the second source is its own second answer.
		for (let turn = 0; ; ) {
			const isMore = turn < order.length || (turn === 1 && isUnreadable(last));
			const endpoint = isMore ? order[turn % order.length] : undefined;
			if (open.length === 0) {
				if (!endpoint) break;
				open.push(attempt(asked, endpoint, hedges));
				turn++;
				continue;
			}
			const newest = open.at(-1)?.endpoint;
			const isHedged = endpoint && newest && hedges.mayAsk(asked, { endpoint, open: open.length });
			const tried = await firstOf(
				open,
				isHedged ? hedgeAfterMs(newest, asked, clock.nowMs()) : null,
			);
			if (tried === "late") {
				if (endpoint) open.push(hedges.counted(attempt(asked, endpoint, hedges)));
				turn++;
				continue;
			}
			open.splice(open.indexOf(tried.by), 1);
			const { by, places = new Set<number>() } = tried;
			if (tried.kind === "answer" && places.size === 0) {
				onServed(by.endpoint);
				for (const one of open) hedges.overtaken(one.endpoint, asked);
				pool.served(by.endpoint);
				asked.options.heard?.add(by.endpoint.name);
				return tried.result;
			}
			if (tried.kind === "answer") {
				onServed(by.endpoint);
				const { result } = tried;
				if (!partly || places.size < partly.places.size) partly = { result, places };
				last = refused(by.endpoint, asked, places);
			} else {
				last = tried.error;
				// A refusal may be a lie, too.
				if (!isSilence(last)) onServed(by.endpoint);
			}
			if (asked.options.signal?.aborted || !isSilence(last)) throw last;
		}
		if (partly && asked.without) return asked.without(partly.result, partly.places);
		throw last;
	};
}

/** Returns the positions of results that the caller cannot read. */
export function unreadableIn<Result>(
	asked: RpcQuestion<Result>,
	answer: Result,
): ReadonlySet<number> {
	const { isReadable } = asked.options;
	const places = new Set<number>();
	if (!isReadable) return places;
	for (const [place, result] of asked.results(answer).entries()) {
		if (result !== undefined && !isReadable(result, place)) places.add(place);
	}
	return places;
}

/** Returns the fault for unreadable results, and counts them against the endpoint. */
export function refused<Result>(
	endpoint: Endpoint,
	{ calls }: RpcQuestion<Result>,
	places: ReadonlySet<number>,
): Fault {
	endpoint.caught("malformed");
	const methods = new Set([...places].map((place) => calls[place]?.method));
	return rpcFault.unreadable({ detail: `${endpoint.name}: ${[...methods].join()}` });
}

function isUnreadable(error: unknown): boolean {
	return error instanceof Fault && error.code === "rpc_unreadable";
}

function attempt<Result>(
	asked: RpcQuestion<Result>,
	endpoint: Endpoint,
	hedges: Hedges,
): Attempt<Result> {
	const by: Attempt<Result> = {
		endpoint,
		done: endpoint
			.ask(asked)
			.then((result): Tried<Result> => {
				hedges.answered(endpoint);
				return { kind: "answer", by, result, places: unreadableIn(asked, result) };
			})
			.catch((error: unknown): Tried<Result> => ({ kind: "error", by, error })),
	};
	return by;
}

/**
 * Returns after how long a second endpoint is asked: learned from this one's answers, and bounded.
 */
function hedgeAfterMs<Result>(
	{ health }: Endpoint,
	{ calls }: RpcQuestion<Result>,
	nowMs: number,
): number {
	const usualMs = health.latencyMs(callClassOf(calls), nowMs);
	if (usualMs === null) return HEDGE_UNKNOWN_MS;
	return Math.min(Math.max(usualMs * HEDGE_TIMES, HEDGE_MIN_MS), HEDGE_MAX_MS);
}

/** Answers which attempt ended first; `late`: none of them within that time. */
async function firstOf<Result>(
	open: readonly Attempt<Result>[],
	withinMs: number | null,
): Promise<Tried<Result> | "late"> {
	const all = open.map(({ done }) => done);
	if (withinMs === null) return await Promise.race(all);
	const waiting = new AbortController();
	const late = sleep(withinMs, waiting.signal).then(() => "late" as const);
	return await Promise.race([...all, late]).finally(() => waiting.abort());
}

/** Decides when a second endpoint is asked beside one that does not answer. */
function createHedges(clock: Clock) {
	let underWay = 0;
	const missed = new Map<Endpoint, number>();
	return {
		/**
		 * Returns whether a second endpoint may be asked: never for calls that send, never for
		 * background work, and never one known to lack the block.
		 */
		mayAsk<Result>(
			{ calls, options }: RpcQuestion<Result>,
			{ endpoint, open }: { endpoint: Endpoint; open: number },
		): boolean {
			const { purpose, second = false, minBlock, signal } = options;
			if (purpose === undefined || !HEDGED.has(purpose) || second || signal?.aborted) return false;
			if (open > 1 || underWay >= HEDGES_AT_ONCE_MAX) return false;
			if (!calls.every(({ method }) => READS.test(method))) return false;
			const { health } = endpoint;
			return minBlock === undefined || health.knows(minBlock, clock.nowMs()) !== "lacks";
		},
		counted<Result>(by: Attempt<Result>): Attempt<Result> {
			underWay++;
			void by.done.finally(() => underWay--);
			return by;
		},
		answered: (endpoint: Endpoint) => void missed.delete(endpoint),
		/**
		 * Lowers the rank of an endpoint that is slower again and again, or has never answered, until
		 * it answers.
		 */
		overtaken<Result>(endpoint: Endpoint, { calls }: RpcQuestion<Result>): void {
			const nowMs = clock.nowMs();
			const times = (missed.get(endpoint) ?? 0) + 1;
			missed.set(endpoint, times);
			const isNew = endpoint.health.latencyMs(callClassOf(calls), nowMs) === null;
			if (isNew || times >= OVERTAKEN_MAX) endpoint.health.failed(nowMs);
		},
	};
}
