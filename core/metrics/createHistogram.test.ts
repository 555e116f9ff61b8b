import { expect, test } from "bun:test";
import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { createHistogram } from "#core/metrics/createHistogram.ts";

const about = { name: "wait_seconds", help: "Wait.", buckets: [0.5, 1, 2.5], seriesMax: 3 };

function make(labelNames: readonly string[] = ["route"]) {
	const registry = new Registry();
	const histogram = createHistogram({ ...about, labelNames, registers: [registry] });
	return { histogram, text: () => registry.metrics() };
}

test("what is counted is shown exactly as the library would show it", async () => {
	const observation = fc.record({
		route: fc.constantFrom("/a", "/b", 'q"uote\\'),
		value: fc.oneof(fc.constantFrom(0, 0.5, 1, 2.5, 3), fc.double({ min: 0, max: 5, noNaN: true })),
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

test("a series that is held counts into the same as one that is named", async () => {
	const { histogram, text } = make();
	const held = histogram.series({ route: "/a" });
	held.observe(1);
	histogram.observe({ route: "/a" }, 2);
	expect(await text()).toContain('wait_seconds_count{route="/a"} 2');
	expect(await text()).toContain('wait_seconds_sum{route="/a"} 3');
});

test("without labels it is shown before anything was counted", async () => {
	expect(await make([]).text()).toContain("wait_seconds_count 0");
});

test("past its series the rest is counted as other", async () => {
	const { histogram, text } = make();
	for (let index = 0; index < 10; index += 1) histogram.series({ route: index }).observe(1);
	expect(await text()).toContain('wait_seconds_count{route="2"} 1');
	expect(await text()).toContain('wait_seconds_count{route="other"} 7');
	expect(await text()).not.toContain('route="3"');
});

test("what is no number is refused, and spoils no sum", async () => {
	const { histogram, text } = make();
	expect(() => histogram.observe({ route: "/a" }, Number.NaN)).toThrow();
	expect(await text()).toContain('wait_seconds_sum{route="/a"} 0');
});
