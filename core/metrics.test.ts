import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { createHistogram, createMetrics } from "#core/metrics.ts";

describe("createHistogram", () => {
	const about = { name: "wait_seconds", help: "Wait.", buckets: [0.5, 1, 2.5], seriesMax: 3 };

	function make(labelNames: readonly string[] = ["route"]) {
		const registry = new Registry();
		const histogram = createHistogram({ ...about, labelNames, registers: [registry] });
		return { histogram, text: () => registry.metrics() };
	}

	test("a histogram is written exactly as the metrics library would write it", async () => {
		const observation = fc.record({
			route: fc.constantFrom("/a", "/b", 'q"uote\\'),
			value: fc.oneof(
				fc.constantFrom(0, 0.5, 1, 2.5, 3),
				fc.double({ min: 0, max: 5, noNaN: true }),
			),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(observation), async (observations) => {
				const { histogram, text } = make();
				const registry = new Registry();
				const library = new Histogram({ ...about, labelNames: ["route"], registers: [registry] });
				for (const { route, value } of observations) {
					histogram.observe({ route }, value);
					library.observe({ route }, value);
				}
				expect(await text()).toBe(await registry.metrics());
			}),
		);
	});

	test("a series that was bound before counts into the same series as one that is named", async () => {
		const { histogram, text } = make();
		const held = histogram.series({ route: "/a" });
		held.observe(1);
		histogram.observe({ route: "/a" }, 2);
		expect(await text()).toContain('wait_seconds_count{route="/a"} 2');
		expect(await text()).toContain('wait_seconds_sum{route="/a"} 3');
	});

	test("a histogram without labels is exported before its first value", async () => {
		expect(await make([]).text()).toContain("wait_seconds_count 0");
	});

	test("values beyond the limit of series are counted as other", async () => {
		const { histogram, text } = make();
		for (let index = 0; index < 10; index += 1) histogram.series({ route: index }).observe(1);
		expect(await text()).toContain('wait_seconds_count{route="2"} 1');
		expect(await text()).toContain('wait_seconds_count{route="other"} 7');
		expect(await text()).not.toContain('route="3"');
	});

	test("a value that is no number is refused, and does not change the sum", async () => {
		const { histogram, text } = make();
		expect(() => histogram.observe({ route: "/a" }, Number.NaN)).toThrow();
		expect(await text()).toContain('wait_seconds_sum{route="/a"} 0');
	});
});

describe("createMetrics", () => {
	const text = async (metrics: ReturnType<typeof createMetrics>) => (await metrics.expose()).body;

	test("a counter, a gauge and a histogram appear under their own names", async () => {
		const metrics = createMetrics();
		const sales = metrics.counter({ name: "sales_total", help: "Sales.", labels: ["chain"] });
		sales.inc({ chain: "base" });
		sales.inc({ chain: "base" }, 4);
		const lag = metrics.gauge({ name: "lag_seconds", help: "Lag." });
		lag.set({}, 3);
		lag.inc({}, -1);
		metrics
			.histogram({ name: "wait_seconds", help: "Wait.", labels: [], buckets: [1, 2] })
			.observe({}, 1.5);
		const body = await text(metrics);
		expect(body).toContain('tapeline_sales_total{chain="base"} 5');
		expect(body).toContain("tapeline_lag_seconds 2");
		expect(body).toContain('tapeline_wait_seconds_bucket{le="1"} 0');
		expect(body).toContain('tapeline_wait_seconds_bucket{le="2"} 1');
		expect(body).toContain("# HELP tapeline_sales_total Sales.");
	});

	test("the content type is the one Prometheus expects", async () => {
		expect((await createMetrics().expose()).contentType).toStartWith("text/plain; version=0.0.4");
	});

	// Guarantee: two services in one process never mix their figures.
	test("two registries share no metric", async () => {
		const [one, two] = [createMetrics(), createMetrics()];
		one.counter({ name: "a_total", help: "A." }).inc({});
		expect(await text(two)).not.toContain("tapeline_a_total");
	});

	test("the same metric declared twice is one metric", async () => {
		const metrics = createMetrics();
		const declare = () =>
			metrics.counter({ name: "calls_total", help: "Calls.", labels: ["chain"] });
		declare().inc({ chain: "base" });
		declare().inc({ chain: "base" });
		expect(await text(metrics)).toContain('tapeline_calls_total{chain="base"} 2');
	});

	test("a metric's name cannot be declared with two meanings", () => {
		const metrics = createMetrics();
		metrics.counter({ name: "x_total", help: "X.", labels: ["a"] });
		expect(() => metrics.gauge({ name: "x_total", help: "X." })).toThrow("differently");
		expect(() => metrics.counter({ name: "x_total", help: "X.", labels: ["b"] })).toThrow(
			"differently",
		);
	});

	test("a counter whose name does not end in _total is refused", () => {
		expect(() => createMetrics().counter({ name: "sales", help: "S." })).toThrow("_total");
	});

	// Guarantee: a label that somebody fills with addresses cannot fill the memory.
	test("beyond a thousand series of a metric the rest is counted as other", async () => {
		const metrics = createMetrics();
		const counter = metrics.counter({ name: "z_total", help: "Z.", labels: ["key"] });
		for (let index = 0; index < 5_000; index += 1) counter.inc({ key: index });
		counter.inc({ key: 1 });
		const body = await text(metrics);
		expect(body.split("\n").filter((line) => line.startsWith("tapeline_z_total{"))).toHaveLength(
			1_001,
		);
		expect(body).toContain('tapeline_z_total{key="other"} 4000');
		expect(body).toContain('tapeline_z_total{key="1"} 2');
	});

	test("only the process metrics that Bun supports are exported", async () => {
		const body = await text(createMetrics({ processMetrics: true }));
		for (const name of [
			"process_cpu_seconds_total",
			"process_resident_memory_bytes",
			"process_open_fds",
		]) {
			expect(body).toContain(`\n${name} `);
		}
		expect(body).toContain("nodejs_eventloop_lag_seconds");
		expect(body).not.toContain("heap_space");
		expect(body).not.toContain("nodejs_active");
	});
});
