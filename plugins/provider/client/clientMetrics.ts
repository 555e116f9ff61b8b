import type { Metrics } from "#core/metrics/createMetrics.ts";

const WAIT_BUCKETS_S = [0.05, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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
