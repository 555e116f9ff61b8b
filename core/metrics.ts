// Makes counters, gauges and histograms, each with a bounded number of series.

import {
	collectDefaultMetrics,
	Counter as PromCounter,
	Gauge as PromGauge,
	Histogram as PromHistogram,
	Registry,
} from "prom-client";
import { assert } from "#core/fault.ts";

export type HistogramSettings = {
	name: string;
	help: string;
	labelNames: readonly string[];
	buckets: readonly number[];
	registers: Registry[];
	/** Series it may hold; what comes later is counted under `other`. */
	seriesMax: number;
};

/**
 * Counts into one set of label values that was looked up once: for code that runs with every
 * request.
 */
export type HistogramSeries = { observe(value: number): void };

export type MetricDefinition<Label extends string> = {
	/**
	 * The name without the prefix, base units last: `rpc_request_duration_seconds`, `reorgs_total`.
	 */
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
	/** Returns one series, for code that counts into it again and again. */
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

type Labels = Readonly<Record<string, string | number>>;

type Series = HistogramSeries & { labels: Labels; counts: number[]; sum: number; count: number };

/** Begins every exposed name, so that a shared Prometheus can distinguish our figures. */
const PREFIX = "tapeline_";

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
 * Makes a registry of metrics. Each instance has its own, so tests and two services in one process
 * never share figures (prom-client's global one would).
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

/**
 * Makes a histogram that counts by itself and is only shown by the library.
 *
 * prom-client checks and hashes the labels of every observation (3 to 6 µs where a whole request
 * takes 25); here a series that is held costs a comparison with each bound and three additions.
 */
export function createHistogram(settings: HistogramSettings) {
	const { name, labelNames, seriesMax } = settings;
	const bounds = [...settings.buckets].sort((a, b) => a - b);
	const all = new Map<string, Series>();
	const other = Object.fromEntries(labelNames.map((label) => [label, "other"]));
	const kept = (labels: Labels): Series => {
		const key = labelNames.map((label) => labels[label]).join("\u0000");
		const known = all.get(key);
		if (known) return known;
		const isOther = labelNames.every((label) => labels[label] === "other");
		if (all.size >= seriesMax && !isOther) return kept(other);
		const made = createSeries({ ...labels }, { bounds, name });
		all.set(key, made);
		return made;
	};
	// Without labels there is one series, and it is shown before anything was counted.
	if (labelNames.length === 0) kept({});

	const shown = new PromHistogram<string>({
		...settings,
		labelNames: [...labelNames],
		buckets: bounds,
	});
	const get = async () => ({
		name,
		help: settings.help,
		type: "histogram",
		aggregator: "sum",
		values: [...all.values()].flatMap((series) => linesOf(name, bounds, series)),
	});
	// The registry asks for the second where it is there: the same, before labels are put together.
	Object.assign(shown, { get, getForPromString: get });
	return {
		observe: (labels: Labels, value: number) => kept(labels).observe(value),
		series: (labels: Labels): HistogramSeries => kept(labels),
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

function createSeries(labels: Labels, about: { bounds: readonly number[]; name: string }): Series {
	const { bounds, name } = about;
	const counts = bounds.map(() => 0);
	const series: Series = {
		labels,
		counts,
		sum: 0,
		count: 0,
		observe(value) {
			assert(Number.isFinite(value), `metric ${name} is given a number`);
			series.sum += value;
			series.count += 1;
			for (let index = 0; index < bounds.length; index += 1) {
				// The last bucket, `+Inf`, is the count.
				if (value > (bounds[index] ?? 0)) continue;
				counts[index] = (counts[index] ?? 0) + 1;
				return;
			}
		},
	};
	return series;
}

/** Renders a histogram: in Prometheus each bucket counts what is in the smaller ones too. */
function linesOf(name: string, bounds: readonly number[], series: Series) {
	const { labels, counts, sum, count } = series;
	let below = 0;
	const buckets = bounds.map((le, index) => {
		below += counts[index] ?? 0;
		return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
	});
	return [
		...buckets,
		{ labels: { le: "+Inf", ...labels }, value: count, metricName: `${name}_bucket` },
		{ labels: { ...labels }, value: sum, metricName: `${name}_sum` },
		{ labels: { ...labels }, value: count, metricName: `${name}_count` },
	];
}
