import {
	collectDefaultMetrics,
	Counter as PromCounter,
	Gauge as PromGauge,
	Registry,
} from "prom-client";
import { assert } from "#core/fault/assert.ts";
import { createHistogram, type HistogramSeries } from "#core/metrics/createHistogram.ts";

/** Every exposed name begins with it, so a shared Prometheus can tell our figures apart. */
const PREFIX = "tapeline_";

export type MetricDefinition<Label extends string> = {
	/** Without the prefix, base units last: `rpc_request_duration_seconds`, `reorgs_total`. */
	name: string;
	help: string;
	/** Names of labels. Values must come from a small set: never an id, an address or a path. */
	labels?: readonly Label[];
};

export type LabelValues<Label extends string> = Readonly<Record<Label, string | number>>;

export type Counter<Label extends string> = {
	inc(labels: LabelValues<Label>, by?: number): void;
};

export type Gauge<Label extends string> = {
	set(labels: LabelValues<Label>, value: number): void;
	/** Adds `by` (default 1), which may be negative. */
	inc(labels: LabelValues<Label>, by?: number): void;
};

export type Histogram<Label extends string> = {
	observe(labels: LabelValues<Label>, value: number): void;
	/** For whoever counts into the same one again and again. */
	series(labels: LabelValues<Label>): HistogramSeries;
};

/**
 * The figures one running service shows its operator.
 *
 * Asking twice for one name gives the same metric, so two plugins may count into one; asking with
 * another type or other labels is our mistake and fails.
 */
export type Metrics = {
	counter<Label extends string = never>(definition: MetricDefinition<Label>): Counter<Label>;
	gauge<Label extends string = never>(definition: MetricDefinition<Label>): Gauge<Label>;
	histogram<Label extends string = never>(
		definition: MetricDefinition<Label> & { buckets: readonly number[] },
	): Histogram<Label>;
	/** The text which Prometheus scrapes. */
	expose(): Promise<{ contentType: string; body: string }>;
};

/** Series a metric may hold; what comes later is counted under `other`, so memory stays bounded. */
const SERIES_MAX = 1_000;

/**
 * Default metrics which Bun 1.4.5 answers with constant zeros (V8's heap spaces, libuv's handles):
 * a figure that is always zero is worse than none.
 */
const METRICS_WITHOUT_MEANING_IN_BUN = [
	"nodejs_heap_space_size_total_bytes",
	"nodejs_heap_space_size_used_bytes",
	"nodejs_heap_space_size_available_bytes",
	"nodejs_active_resources",
	"nodejs_active_resources_total",
	"nodejs_active_handles",
	"nodejs_active_handles_total",
	"nodejs_active_requests",
	"nodejs_active_requests_total",
	"nodejs_gc_duration_seconds",
	"process_heap_bytes",
];

/**
 * A registry of its own for each instance, so tests and two services in one process never share
 * figures (prom-client's global one would).
 */
export function createMetrics(options: { processMetrics?: boolean } = {}): Metrics {
	const registry = new Registry();
	const declared = new Map<string, string>();
	const counters = new Map<string, Counter<string>>();
	const gauges = new Map<string, Gauge<string>>();
	const histograms = new Map<string, Histogram<string>>();
	if (options.processMetrics) {
		collectDefaultMetrics({ register: registry });
		for (const name of METRICS_WITHOUT_MEANING_IN_BUN) registry.removeSingleMetric(name);
	}

	const once = <Metric>(
		made: Map<string, Metric>,
		definition: MetricDefinition<string> & { kind: string },
		make: () => Metric,
	): Metric => {
		const { name, kind, labels = [] } = definition;
		const meaning = `${kind}:${labels.join(",")}`;
		assert(
			(declared.get(name) ?? meaning) === meaning,
			`metric ${name} is declared twice, differently`,
		);
		declared.set(name, meaning);
		const metric = made.get(name) ?? make();
		made.set(name, metric);
		return metric;
	};

	return {
		counter(definition) {
			assert(definition.name.endsWith("_total"), `counter ${definition.name} must end in _total`);
			return once(counters, { ...definition, kind: "counter" }, () => {
				const metric = new PromCounter(settings(definition, registry));
				const bounded = boundSeries(definition.labels);
				return { inc: (labels, by = 1) => metric.inc(bounded(labels), by) };
			});
		},
		gauge(definition) {
			return once(gauges, { ...definition, kind: "gauge" }, () => {
				const metric = new PromGauge(settings(definition, registry));
				const bounded = boundSeries(definition.labels);
				return {
					set: (labels, value) => metric.set(bounded(labels), value),
					inc: (labels, by = 1) => metric.inc(bounded(labels), by),
				};
			});
		},
		histogram(definition) {
			return once(histograms, { ...definition, kind: "histogram" }, () => {
				const { buckets } = definition;
				return createHistogram({
					...settings(definition, registry),
					buckets,
					seriesMax: SERIES_MAX,
				});
			});
		},
		async expose() {
			return { contentType: registry.contentType, body: await registry.metrics() };
		},
	};
}

function settings(definition: MetricDefinition<string>, registry: Registry) {
	return {
		name: `${PREFIX}${definition.name}`,
		help: definition.help,
		labelNames: [...(definition.labels ?? [])],
		registers: [registry],
	};
}

/** Folds label values into `other` once a metric has as many series as it may hold. */
function boundSeries(names: readonly string[] = []) {
	const seen = new Set<string>();
	const other = Object.fromEntries(names.map((name) => [name, "other"]));
	return (labels: LabelValues<string>): Record<string, string | number> => {
		const series = names.map((name) => labels[name]).join("\u0000");
		if (seen.has(series)) return labels;
		if (seen.size >= SERIES_MAX) return other;
		seen.add(series);
		return labels;
	};
}
