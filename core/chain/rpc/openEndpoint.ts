// Opens one endpoint: checks its chain, records its health, and spaces its requests.

import type { Chain } from "#core/chain/Chain.ts";
import { createEndpointHealth, type EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import {
	callClassOf,
	type Rpc,
	type RpcCall,
	type RpcInconsistency,
	type RpcObserver,
	type RpcOptions,
	type RpcPurpose,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { isSilence } from "#core/chain/rpc/readAnswers.ts";
import type { RpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";

export type Pacer = {
	/** Waits for its turn; fails as silence if that would take too long. */
	turn(signal?: AbortSignal): Promise<void>;
};

/** A configured endpoint: how to open it, and its name without secrets. */
export type RpcEndpoint = { name: string; open(observer: RpcObserver): Rpc };

/** A question, in any of `Rpc`'s three ways. */
export type RpcQuestion<Result> = {
	calls: readonly RpcCall[];
	options: RpcOptions;
	put(rpc: Rpc): Promise<Result>;
	/** Returns the result of each call; undefined where one was refused. */
	results(answer: Result): readonly unknown[];
	/** Returns the answer with these results as failures, if that form allows it. */
	without?(answer: Result, places: ReadonlySet<number>): Result;
};

export type Endpoint = {
	name: string;
	rpc: Rpc;
	health: EndpointHealth;
	ask<Result>(question: RpcQuestion<Result>): Promise<Result>;
	/** Asks for its newest block, only to learn its health. Never fails; one at a time. */
	probe(): Promise<void>;
	/** Counts an impossible answer, and logs it once each time the endpoint is ranked last for it. */
	caught(kind: RpcInconsistency): void;
};

export type HeadJudge = {
	/** Returns whether the newest block that an endpoint names is accepted. Remembers it. */
	believes(endpoint: string, claim: { block: number; nowMs: number }): boolean;
};

export type EndpointOptions = {
	chain: Chain;
	clock: Clock;
	log: Log;
	metrics?: RpcMetrics | undefined;
	/** Returns the newest block that any endpoint of the chain is known to have. */
	bestBlock(): number;
	/** Shared by all endpoints of the chain. */
	judge: HeadJudge;
};

type ChainCheck = Pick<EndpointOptions, "chain" | "log" | "metrics"> & {
	labels: { chain: string; endpoint: string };
};

/** Limits the wait for a turn; another endpoint is better then. */
const WAIT_MAX_MS = 10_000;

const CHAIN_ID = { method: "eth_chainId", params: [] };
const PROBE = { method: "eth_blockNumber", params: [] };

/**
 * Opens an endpoint. Its answers count only after it has confirmed our chain id, and again after
 * each failure: an endpoint that was replaced must not reach the index. Its answers and times are
 * recorded.
 */
export function openEndpoint(definition: RpcEndpoint, options: EndpointOptions): Endpoint {
	const { chain, clock, log, metrics } = options;
	const { name } = definition;
	const labels = { chain: chain.slug, endpoint: name };
	const health = createEndpointHealth();
	const rpc = definition.open({ began });
	const chainCheck = createChainCheck(rpc, { ...options, labels });
	let probing = false;

	return { name, rpc, health, ask, probe, caught };

	async function ask<Result>(question: RpcQuestion<Result>): Promise<Result> {
		try {
			await chainCheck.pass(question.options);
			const answer = await question.put(rpc);
			const answered = { calls: question.calls, results: question.results(answer) };
			refuseFalseHead(answered);
			const at = { bestBlock: options.bestBlock(), nowMs: clock.nowMs() };
			health.succeeded();
			if (learnHeads(health, answered, at)) metrics?.inconsistent(labels, "head_jumped_back");
			return answer;
		} catch (error) {
			if (!question.options.signal?.aborted) fell(error);
			throw error;
		}
	}

	/** Throws for an impossible head; other results in that answer are not used either. */
	function refuseFalseHead(answered: { calls: readonly RpcCall[]; results: readonly unknown[] }) {
		const block = newestNamed(answered);
		if (block === null || options.judge.believes(name, { block, nowMs: clock.nowMs() })) return;
		caught("head_too_far");
		throw rpcFault.unreadable({ detail: `${name} says that its head is ${block}` });
	}

	/** Records a failure; a node's own refusal proves that it works. */
	function fell(error: unknown) {
		if (!isSilence(error)) return health.succeeded();
		const { paced, retryAfterMs } = error instanceof Fault ? error.meta : {};
		if (paced === true) return;
		chainCheck.repeat();
		// After a refusal, a retry time of 0 is not followed.
		const isAdvice = typeof retryAfterMs === "number" && retryAfterMs > 0;
		if (isAdvice) health.putAside(clock.nowMs() + retryAfterMs);
		else health.failed(clock.nowMs());
	}

	async function probe() {
		if (probing) return;
		probing = true;
		const put = (asked: Rpc) => asked.call(PROBE, { purpose: "probes" });
		const results = (answer: unknown) => [answer];
		const options = { purpose: "probes" } as const;
		await ask({ calls: [PROBE], options, put, results }).catch(() => {});
		probing = false;
	}

	function caught(kind: RpcInconsistency) {
		const nowMs = clock.nowMs();
		metrics?.inconsistent(labels, kind);
		if (kind === "disagreement") return health.doubted(nowMs);
		if (!health.isSuspect(nowMs)) {
			log.warn("an RPC endpoint told what cannot be so", { ...labels, kind });
		}
		health.distrusted(nowMs);
	}

	function began(calls: readonly RpcCall[], purpose: RpcPurpose) {
		const startedMs = clock.nowMs();
		metrics?.called(chain.slug, calls, purpose);
		return (outcome: string, bytes: number) => {
			const nowMs = clock.nowMs();
			const durationMs = nowMs - startedMs;
			if (outcome === "ok") health.answered(callClassOf(calls), durationMs, nowMs);
			metrics?.requested(labels, { outcome, durationMs });
			metrics?.received(chain.slug, { purpose, bytes });
		};
	}
}

/**
 * Makes a pacer: it spaces requests to one endpoint, so that no second contains more than allowed.
 * A queue without bursts: providers count in windows whose start is unknown.
 */
export function createPacer(options: {
	requestsPerSecondMax: number;
	clock: Clock;
	wait?: typeof sleep;
}): Pacer {
	const { clock, wait = sleep } = options;
	const distanceMs = 1_000 / options.requestsPerSecondMax;
	let nextAtMs = Number.NEGATIVE_INFINITY;
	return {
		async turn(signal) {
			const nowMs = clock.nowMs();
			const atMs = Math.max(nowMs, nextAtMs);
			if (atMs - nowMs > WAIT_MAX_MS) {
				throw rpcFault.transport({ detail: "too many wait for it", meta: { paced: true } });
			}
			nextAtMs = atMs + distanceMs;
			if (atMs > nowMs) await wait(atMs - nowMs, signal);
		},
	};
}

/**
 * Learns from answers which blocks an endpoint has; returns whether its newest block is older than
 * the one it named before. `results` may have holes, where a call was refused.
 */
export function learnHeads(
	health: EndpointHealth,
	answer: { calls: readonly RpcCall[]; results: readonly unknown[] },
	{ bestBlock, nowMs }: { bestBlock: number; nowMs: number },
): boolean {
	let jumpedBack = false;
	for (const [index, { method, params }] of answer.calls.entries()) {
		const result = answer.results[index];
		if (method === "eth_blockNumber") {
			const block = blockOf(result);
			if (block !== null) jumpedBack = health.heardHead(block, { bestBlock, nowMs }) || jumpedBack;
		}
		if (method !== "eth_getBlockByNumber") continue;
		const asked = blockOf(params[0]);
		if (asked !== null && result === null) health.lacks(asked, nowMs);
		const served = numberOf(result);
		if (served === null) continue;
		// A block that was not requested proves nothing about others.
		if (asked !== null && served === asked) health.has(served);
		if (params[0] === "latest") {
			jumpedBack = health.heardHead(served, { bestBlock, nowMs }) || jumpedBack;
		}
	}
	return jumpedBack;
}

/**
 * Returns the newest block that an endpoint named in its answers, in any of the three ways of
 * asking for the head; null if it was not asked, or named none.
 */
export function newestNamed(answered: {
	calls: readonly RpcCall[];
	/** The results, with holes where a call was refused. */
	results: readonly unknown[];
}): number | null {
	let newest: number | null = null;
	for (const [index, call] of answered.calls.entries()) {
		const block = headIn(call, answered.results[index]);
		if (block !== null) newest = Math.max(newest ?? block, block);
	}
	return newest;
}

/** Makes the check of the chain's id before the first question, and again after `repeat`. */
function createChainCheck(rpc: Rpc, { chain, log, metrics, labels }: ChainCheck) {
	let isPassed = false;
	let complained = false;
	return {
		async pass({ signal, purpose }: RpcOptions): Promise<void> {
			if (isPassed) return;
			const answer = await chainIdOf(rpc, { signal, purpose });
			isPassed = typeof answer === "string" && Number(answer) === chain.id;
			if (isPassed) {
				complained = false;
				return;
			}
			const context = { ...labels, expected: chain.id, answer };
			if (!complained) log.error("an RPC endpoint serves another chain", context);
			complained = true;
			metrics?.inconsistent(labels, "wrong_chain");
			throw rpcFault.wrongChain({ detail: JSON.stringify(context) });
		},
		repeat(): void {
			isPassed = false;
		},
	};
}

/** Reads the chain id. Every node knows it: a refusal is about us, perhaps an expired key. */
function chainIdOf(rpc: Rpc, asked: RpcOptions): Promise<unknown> {
	return rpc.call(CHAIN_ID, asked).catch((error) => {
		if (!(error instanceof Fault) || isSilence(error)) throw error;
		throw rpcFault.transport({ detail: error.privateDetail ?? error.message });
	});
}

function blockOf(value: unknown): number | null {
	return typeof value === "string" && /^0x[0-9a-fA-F]{1,13}$/.test(value) ? Number(value) : null;
}

function numberOf(header: unknown): number | null {
	if (typeof header !== "object" || header === null || !("number" in header)) return null;
	return blockOf(header.number);
}

function headIn({ method, params }: RpcCall, result: unknown): number | null {
	if (method === "eth_blockNumber") return blockOfAnySize(result);
	if (method === "eth_getBlockByNumber" && params[0] === "latest") return member(result, "number");
	const isHead = method === "eth_feeHistory" && params[0] === "0x1" && params[1] === "latest";
	return isHead ? member(result, "oldestBlock") : null;
}

/** Reads a block number of any size: one that is no safe number is too far as well. */
function blockOfAnySize(value: unknown): number | null {
	return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? Number(value) : null;
}

function member(result: unknown, name: "number" | "oldestBlock"): number | null {
	if (typeof result !== "object" || result === null) return null;
	return blockOfAnySize(Reflect.get(result, name));
}
