import { expect, test } from "bun:test";
import { createMetrics } from "#core/metrics/createMetrics.ts";

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
test("two instances share nothing", async () => {
	const [one, two] = [createMetrics(), createMetrics()];
	one.counter({ name: "a_total", help: "A." }).inc({});
	expect(await text(two)).not.toContain("tapeline_a_total");
});

test("the same declaration twice is one metric", async () => {
	const metrics = createMetrics();
	const declare = () => metrics.counter({ name: "calls_total", help: "Calls.", labels: ["chain"] });
	declare().inc({ chain: "base" });
	declare().inc({ chain: "base" });
	expect(await text(metrics)).toContain('tapeline_calls_total{chain="base"} 2');
});

test("one name with two meanings is refused", () => {
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
test("past a thousand series of a metric the rest is counted as other", async () => {
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

test("process metrics are the ones that mean something under Bun", async () => {
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
