import type { RpcInconsistency } from "#core/chain/rpc/RpcInconsistency.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

/** `endpoint` is a host: what else stands in a URL may be a key. */
type EndpointLabels = { chain: string; endpoint: string };

export type RpcMetrics = {
	requested(of: EndpointLabels, request: { outcome: string; durationMs: number }): void;
	inconsistent(of: EndpointLabels, kind: RpcInconsistency): void;
};

const BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** What an operator watches of the endpoints. */
export function rpcMetrics(metrics: Metrics): RpcMetrics {
	const labels = ["chain", "endpoint"] as const;
	const requests = metrics.counter({
		name: "rpc_requests_total",
		help: "HTTP requests to an RPC endpoint, by what became of them.",
		labels: [...labels, "outcome"],
	});
	const duration = metrics.histogram({
		name: "rpc_request_duration_seconds",
		help: "Time until an RPC endpoint's answer was read, or given up.",
		labels,
		buckets: BUCKETS_SECONDS,
	});
	const inconsistencies = metrics.counter({
		name: "rpc_inconsistency_total",
		help: "Answers of an RPC endpoint that cannot be so, by what is wrong with them.",
		labels: [...labels, "kind"],
	});
	return {
		requested(of, { outcome, durationMs }) {
			requests.inc({ ...of, outcome });
			duration.observe(of, durationMs / 1_000);
		},
		inconsistent: (of, kind) => inconsistencies.inc({ ...of, kind }),
	};
}
