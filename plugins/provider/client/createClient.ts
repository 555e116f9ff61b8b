import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";
import { clientMetrics } from "#plugins/provider/client/clientMetrics.ts";
import { createFailureLog } from "#plugins/provider/client/createFailureLog.ts";
import type { ProviderCallOptions } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { type CallQuery, callUrl } from "#plugins/provider/http/callUrl.ts";
import { type CallAnswer, sendCall } from "#plugins/provider/http/sendCall.ts";
import { BLOCK_WAITED_OUT_MS, CALL_TIMEOUT_MS } from "#plugins/provider/limits.ts";
import type { Blocks, Bucket } from "#plugins/provider/pace/createBlocks.ts";
import type { Pacer } from "#plugins/provider/pace/createPacer.ts";
import { tooOften } from "#plugins/provider/pace/tooOften.ts";

export type Call = {
	/** Its name in metrics and in the log. */
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
	const { fetch: fetchIt = fetch, timeoutMs = CALL_TIMEOUT_MS } = options;
	const metrics = clientMetrics(options.metrics);
	const tell = createFailureLog({ log: options.log, clock });
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
			const sent = { url, body, apiKey, signal, timeoutMs, fetch: fetchIt, nowMs };
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
					tell("rate_limited", { endpoint, detail: answer.detail });
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
					tell(code, { endpoint, detail: error.privateDetail });
				}
				throw error;
			}
		},
		unreadable(call, detail) {
			const { endpoint } = call;
			metrics.calls.inc({ endpoint, outcome: "misread" });
			tell("provider_unreadable", { endpoint, detail });
			return providerFault.unreadable({ detail: `${endpoint}: ${detail}` });
		},
		leftOut(call, rows) {
			if (rows === 0) return;
			metrics.unreadableRows.inc({ endpoint: call.endpoint }, rows);
			tell("rows", { endpoint: call.endpoint, rows });
		},
		brokeOff({ endpoint }) {
			tell("pages", { endpoint });
		},
		isConnected: () => isConnected,
	};
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

function bucketOf(call: Call): Bucket {
	return call.body ? "fulfilment" : "read";
}

function isAway(answer: CallAnswer): boolean {
	return answer.kind === "failed" && answer.fault.code === "provider_unavailable";
}

function bothOf(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
	return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}
