// Sends calls to the provider at its pace; counts, logs and retries them.

import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import {
	type CallAnswer,
	type CallQuery,
	callUrl,
	sendCall,
} from "#plugins/provider/client/sendCall.ts";
import type { ProviderCallOptions } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { BLOCK_WAITED_OUT_MS, CALL_TIMEOUT_MS, LOG_EVERY_MS } from "#plugins/provider/limits.ts";
import { type Bucket, tooOften } from "#plugins/provider/pace/createCallQueue.ts";
import type { Blocks, Pacer } from "#plugins/provider/pace/createPacer.ts";

/** A fixed set of kinds, so that remembering when each was last logged stays small. */
export type FailureKind =
	| "rate_limited"
	| "provider_unavailable"
	| "provider_unreadable"
	| "provider_refused"
	| "rows"
	| "pages";

export type FailureLog = (kind: FailureKind, context: Record<string, unknown>) => void;

export type Call = {
	/** The call's name in metrics and in the log. */
	endpoint: string;
	/** Path segments below `/api/v2/`, not encoded. */
	segments: readonly string[];
	query?: CallQuery;
	/** Makes it a POST, which is never sent twice. */
	body?: Readonly<Record<string, unknown>>;
	options: ProviderCallOptions;
};

/** Calls the provider, at its pace. */
export type Client = {
	/**
	 * Returns the answer; null where the provider does not know the thing. Throws a Fault otherwise.
	 */
	call(call: Call): Promise<{ json: unknown } | null>;
	/** Returns the Fault for an answer that does not fit its schema; counts and logs it. */
	unreadable(call: Call, detail: string): Fault;
	/** Counts and logs rows that were left out. */
	leftOut(call: Call, rows: number): void;
	/** Logs that a list broke off before its end. */
	brokeOff(call: Call): void;
	isConnected(): boolean | null;
};

const WAIT_BUCKETS_S = [0.05, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const SENTENCES: Readonly<Record<FailureKind, string>> = {
	rate_limited: "the provider says that it is asked too often",
	provider_unavailable: "the provider does not answer",
	provider_unreadable: "the provider answered something that cannot be read",
	provider_refused: "the provider refuses a request",
	rows: "rows of the provider cannot be read and are left out",
	pages: "a list of the provider breaks off: its next page cannot be read or leads to itself",
};

export function createClient(options: {
	baseUrl: string;
	apiKey?: string | undefined;
	pacer: Pacer;
	blocks: Blocks;
	clock: Clock;
	log: Log;
	metrics: Metrics;
	/** Aborts when the service ends: calls end with it. */
	ending?: AbortSignal;
	fetch?: typeof fetch;
	timeoutMs?: number;
}): Client {
	const { baseUrl, apiKey, pacer, blocks, clock, ending } = options;
	const { timeoutMs = CALL_TIMEOUT_MS } = options;
	const metrics = clientMetrics(options.metrics);
	const logFailure = createFailureLog({ log: options.log, clock });
	let isConnected: boolean | null = null;

	/** Sends one call when its turn comes. */
	async function attempt(call: Call): Promise<CallAnswer> {
		const { endpoint, segments, query = {}, body } = call;
		const url = callUrl(baseUrl, segments, query);
		const bucket = bucketOf(call);
		const { purpose } = call.options;
		const signal = bothOf(call.options.signal, ending);
		const askedAtMs = clock.nowMs();
		const release = await pacer.turn({ bucket, purpose, signal });
		const sentAtMs = clock.nowMs();
		metrics.waits.observe({ purpose }, (sentAtMs - askedAtMs) / 1_000);
		try {
			const { nowMs } = clock;
			const sent = { url, body, apiKey, signal, timeoutMs, fetch: options.fetch, nowMs };
			const answer = await sendCall(sent);
			if (answer.kind === "too_often") blocks.refuse(bucket, answer.blockMs);
			else if (answer.kind !== "failed") blocks.pass(bucket, answer.blockMs);
			if (!signal?.aborted) isConnected = !isAway(answer);
			return answer;
		} finally {
			metrics.duration.observe({ endpoint }, (clock.nowMs() - sentAtMs) / 1_000);
			release();
		}
	}

	async function attemptAgain(call: Call): Promise<CallAnswer> {
		const answer = await attempt(call);
		const leftMs = blocks.leftMs(bucketOf(call));
		const isBurst = answer.kind === "too_often" && leftMs <= BLOCK_WAITED_OUT_MS;
		if (!isBurst || call.body) return answer;
		metrics.calls.inc({ endpoint: call.endpoint, outcome: "retried" });
		return attempt(call);
	}

	return {
		async call(call) {
			const { endpoint } = call;
			try {
				const answer = await attemptAgain(call);
				if (answer.kind === "too_often") {
					logFailure("rate_limited", { endpoint, detail: answer.detail });
					const { detail } = answer;
					throw tooOften(blocks.leftMs(bucketOf(call)), { detail, refusedBy: "provider" });
				}
				if (answer.kind === "failed") throw answer.fault;
				const read = answer.kind === "read" ? { json: answer.json } : null;
				metrics.calls.inc({ endpoint, outcome: read ? "ok" : "not_found" });
				return read;
			} catch (error) {
				const isGivenUp = call.options.signal?.aborted || ending?.aborted;
				const code = error instanceof Fault ? error.code : "error";
				metrics.calls.inc({ endpoint, outcome: isGivenUp ? "given_up" : code });
				if (error instanceof Fault && !isGivenUp && isFailure(code)) {
					logFailure(code, { endpoint, detail: error.privateDetail });
				}
				throw error;
			}
		},
		unreadable(call, detail) {
			const { endpoint } = call;
			metrics.calls.inc({ endpoint, outcome: "misread" });
			logFailure("provider_unreadable", { endpoint, detail });
			return providerFault.unreadable({ detail: `${endpoint}: ${detail}` });
		},
		leftOut(call, rows) {
			if (rows === 0) return;
			metrics.unreadableRows.inc({ endpoint: call.endpoint }, rows);
			logFailure("rows", { endpoint: call.endpoint, rows });
		},
		brokeOff({ endpoint }) {
			logFailure("pages", { endpoint });
		},
		isConnected: () => isConnected,
	};
}

/** Registers the metrics of the calls to the provider. */
export function clientMetrics(metrics: Metrics) {
	return {
		calls: metrics.counter({
			name: "provider_calls_total",
			help: "Calls to the marketplace provider, by what came of them.",
			labels: ["endpoint", "outcome"],
		}),
		duration: metrics.histogram({
			name: "provider_call_duration_seconds",
			help: "Time from sending a call to the provider to the end of its answer.",
			labels: ["endpoint"],
			buckets: CALL_BUCKETS_S,
		}),
		waits: metrics.histogram({
			name: "provider_wait_seconds",
			help: "Time that calls to the provider waited for their turn.",
			labels: ["purpose"],
			buckets: WAIT_BUCKETS_S,
		}),
		unreadableRows: metrics.counter({
			name: "provider_unreadable_rows_total",
			help: "Rows of the provider's lists that could not be read and were left out.",
			labels: ["endpoint"],
		}),
	};
}

/** Logs one line a minute for each kind of failure, with the number of failures in that time. */
export function createFailureLog({ log, clock }: { log: Log; clock: Clock }): FailureLog {
	const logged = new Map<FailureKind, { atMs: number; untold: number }>();
	return (kind, context) => {
		const nowMs = clock.nowMs();
		const last = logged.get(kind);
		if (last && Math.abs(nowMs - last.atMs) < LOG_EVERY_MS) {
			last.untold++;
			return;
		}
		logged.set(kind, { atMs: nowMs, untold: 0 });
		log.warn(SENTENCES[kind], { ...context, ...(last?.untold ? { untold: last.untold } : {}) });
	};
}

function bucketOf(call: Call): Bucket {
	return call.body ? "fulfilment" : "read";
}

function bothOf(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
	return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

function isAway(answer: CallAnswer): boolean {
	return answer.kind === "failed" && answer.fault.code === "provider_unavailable";
}

/**
 * Says whether a fault is a failure of the provider. A refusal by our own pace is none, and a 429
 * is logged where it is answered.
 */
function isFailure(
	code: string,
): code is "provider_unavailable" | "provider_unreadable" | "provider_refused" {
	return ["provider_unavailable", "provider_unreadable", "provider_refused"].includes(code);
}
