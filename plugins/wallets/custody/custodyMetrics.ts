import type { Metrics } from "#core/metrics/createMetrics.ts";

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What an operator sees of the calls to the wallet provider. */
export function custodyMetrics(metrics: Metrics) {
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
