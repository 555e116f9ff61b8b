// Makes calls to the wallet provider by name: counted, timed, and logged where they fail.

import type { Fault } from "#core/fault.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import {
	type Caller,
	createFailureLog,
	type ProviderAnswer,
	type ProviderCall,
	refusalCode,
} from "#plugins/custody/caller.ts";
import { custodyFault } from "#plugins/custody/faults.ts";

/** `endpoint` is what a call is called in metrics and in the log. */
export type NamedCall = Omit<ProviderCall, "url"> & { endpoint: string; path: string };

export type ProviderClient = {
	/** Returns the full URL of a path, as it is signed. */
	urlOf(path: string): string;
	/** Makes a call, and returns and counts what `outcomeOf` makes of its answer. */
	ask<Outcome extends { kind: string; detail?: string }>(
		call: NamedCall,
		outcomeOf: (answer: ProviderAnswer) => Outcome,
	): Promise<Outcome>;
	/** Returns what an answer holds; null: the provider knows no such thing. Else throws a Fault. */
	read(call: NamedCall): Promise<{ json: unknown } | null>;
	/** Returns the Fault for an answer that is not what its schema says. */
	unreadable(endpoint: string): Fault;
};

/** `kind` is a label of metrics: `read`, `not_found`, or the fault's code. */
type Reading = { kind: string; json?: unknown; fault?: Fault; detail?: string };

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Makes calls by name: they are counted and timed, and logged where they fail. */
export function createProviderClient(options: {
	baseUrl: string;
	call: Caller;
	core: Pick<Core, "clock" | "log" | "metrics">;
}): ProviderClient {
	const { call, core } = options;
	const base = options.baseUrl.replace(/\/+$/, "");
	const metrics = custodyMetrics(core.metrics);
	const tell = createFailureLog(core);
	const urlOf = (path: string) => `${base}${path}`;

	async function ask<Outcome extends { kind: string; detail?: string }>(
		{ endpoint, path, ...rest }: NamedCall,
		outcomeOf: (answer: ProviderAnswer) => Outcome,
	): Promise<Outcome> {
		const sentAtMs = core.clock.nowMs();
		const outcome = outcomeOf(await call({ ...rest, url: urlOf(path) }));
		metrics.duration.observe({ endpoint }, (core.clock.nowMs() - sentAtMs) / 1_000);
		metrics.calls.inc({ endpoint, outcome: outcome.kind });
		if (outcome.detail !== undefined && !isCalledOff(rest.signal)) tell(endpoint, outcome.detail);
		return outcome;
	}

	return {
		urlOf,
		ask,
		async read(call) {
			const outcome = await ask(call, readingOf);
			if (outcome.fault) throw outcome.fault;
			return outcome.kind === "not_found" ? null : { json: outcome.json };
		},
		unreadable(endpoint) {
			metrics.calls.inc({ endpoint, outcome: "misread" });
			tell(endpoint, "not what its schema says");
			return custodyFault.unreadable({ detail: `${endpoint}: not what its schema says` });
		},
	};
}

/** Makes what an operator sees of the calls to the wallet provider. */
function custodyMetrics(metrics: Metrics) {
	return {
		calls: metrics.counter({
			name: "wallet_provider_calls_total",
			help: "Calls to the wallet provider, by what came of them.",
			labels: ["endpoint", "outcome"],
		}),
		duration: metrics.histogram({
			name: "wallet_provider_call_duration_seconds",
			help: "Time from sending a call to the wallet provider to the end of its answer.",
			labels: ["endpoint"],
			buckets: BUCKETS_S,
		}),
	};
}

/** Says whether the caller left. Who waited until their time ran out did not leave. */
function isCalledOff(signal: AbortSignal | undefined): boolean {
	if (!signal?.aborted) return false;
	const reason: unknown = signal.reason;
	return !(reason instanceof Error && reason.name === "TimeoutError");
}

function readingOf(answer: ProviderAnswer): Reading {
	// Only in the provider's own form: the page of a proxy that lost its way is no "there is none".
	const isMissing = answer.kind === "answer" && answer.status === 404;
	if (isMissing && refusalCode(answer.json) !== null) return { kind: "not_found" };
	const fault = faultOfAnswer(answer);
	if (fault) return { kind: fault.code, fault, detail: fault.privateDetail ?? fault.code };
	return { kind: "read", json: answer.kind === "answer" ? answer.json : undefined };
}

/** Returns what is wrong with an answer to a question; null: it can be read. */
function faultOfAnswer(answer: ProviderAnswer): Fault | null {
	if (answer.kind === "silent") return custodyFault.unavailable({ detail: answer.detail });
	const { status } = answer;
	const isForm = answer.kind === "answer" && refusalCode(answer.json) !== null;
	if (status === 429) {
		const members = { provider: "wallet-provider" };
		return custodyFault.rateLimited({ detail: `HTTP ${status}`, members });
	}
	if (status >= 500 || status === 408)
		return custodyFault.unavailable({ detail: `HTTP ${status}` });
	if (answer.kind === "unreadable") {
		return custodyFault.unreadable({ detail: `HTTP ${status}: ${answer.detail}` });
	}
	if (status >= 200 && status < 300) return null;
	if (!isForm) return custodyFault.unreadable({ detail: `HTTP ${status}: an odd refusal` });
	return custodyFault.refused({ detail: `HTTP ${status}: ${refusalCode(answer.json)}` });
}
