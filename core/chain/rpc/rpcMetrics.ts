// Counts requests and calls to RPC endpoints for operators, and what the calls cost.

import type { RpcCall, RpcInconsistency, RpcPurpose } from "#core/chain/rpc/Rpc.ts";
import type { Metrics } from "#core/metrics.ts";

/** The price of a call by method, in the provider's units; `*` is any other method. */
export type CallPrices = Readonly<Record<string, number>>;

export type RpcMetrics = {
	requested(of: EndpointLabels, request: { outcome: string; durationMs: number }): void;
	/** Counts each call of a batch, whatever its outcome: providers bill all of them. */
	called(chain: string, calls: readonly Pick<RpcCall, "method">[], purpose: RpcPurpose): void;
	received(chain: string, answer: { purpose: RpcPurpose; bytes: number }): void;
	inconsistent(of: EndpointLabels, kind: RpcInconsistency): void;
};

/** `endpoint` is a host: the rest of a URL may contain a key. */
type EndpointLabels = { chain: string; endpoint: string };

type CallLabels = { chain: string; method: string; purpose: RpcPurpose };

const BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Makes the metrics of endpoints for operators; without `prices` there are no costs. */
export function rpcMetrics(metrics: Metrics, prices: CallPrices = {}): RpcMetrics {
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
	const count = callCounter(metrics, prices);
	const bytesRead = metrics.counter({
		name: "rpc_received_bytes_total",
		help: "Bytes of RPC endpoints' answers, unpacked, by who asked.",
		labels: ["chain", "purpose"],
	});
	return {
		requested(of, { outcome, durationMs }) {
			requests.inc({ ...of, outcome });
			duration.observe(of, durationMs / 1_000);
		},
		called(chain, calls, purpose) {
			for (const [method, number] of countMethods(calls)) count({ chain, method, purpose }, number);
		},
		received: (chain, { purpose, bytes }) => bytesRead.inc({ chain, purpose }, bytes),
		inconsistent: (of, kind) => inconsistencies.inc({ ...of, kind }),
	};
}

function callCounter(metrics: Metrics, prices: CallPrices) {
	const calls = metrics.counter({
		name: "rpc_calls_total",
		help: "JSON-RPC calls to RPC endpoints, by method and by who asked.",
		labels: ["chain", "method", "purpose"],
	});
	const isPriced = Object.keys(prices).length > 0;
	const units = isPriced
		? metrics.counter({
				name: "rpc_compute_units_total",
				help: "What these calls cost by CHAIN_RPC_COMPUTE_UNITS_JSON: an estimate.",
				labels: ["chain", "purpose"],
			})
		: null;
	return (of: CallLabels, number: number) => {
		calls.inc(of, number);
		const price = priceOf(prices, of.method);
		if (price > 0) units?.inc({ chain: of.chain, purpose: of.purpose }, price * number);
	};
}

function priceOf(prices: CallPrices, method: string): number {
	return (Object.hasOwn(prices, method) ? prices[method] : prices["*"]) ?? 0;
}

/**
 * Counts calls by method: a batch is mostly of one method, so the counter is used once per method.
 */
function countMethods(calls: readonly Pick<RpcCall, "method">[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1);
	return counts;
}
