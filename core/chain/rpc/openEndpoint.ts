import type { Chain } from "#core/chain/Chain.ts";
import { callClassOf } from "#core/chain/rpc/callClassOf.ts";
import { createEndpointHealth, type EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import type { HeadJudge } from "#core/chain/rpc/createHeadJudge.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { isSilence } from "#core/chain/rpc/isSilence.ts";
import { learnHeads } from "#core/chain/rpc/learnHeads.ts";
import { newestNamed } from "#core/chain/rpc/newestNamed.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { RpcInconsistency } from "#core/chain/rpc/RpcInconsistency.ts";
import type { RpcObserver } from "#core/chain/rpc/RpcObserver.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";
import type { RpcMetrics } from "#core/chain/rpc/rpcMetrics.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";

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

type ChainCheck = Pick<EndpointOptions, "chain" | "log" | "metrics"> & {
	labels: { chain: string; endpoint: string };
};

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
