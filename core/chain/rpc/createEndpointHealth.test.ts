import { expect, test } from "bun:test";
import fc from "fast-check";
import { createEndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";

function measured(durationMs: number, samples = 3) {
	const health = createEndpointHealth();
	for (let sample = 0; sample < samples; sample++) health.answered("light", durationMs, 0);
	return health;
}

test("an endpoint's response time is known after a few requests, and forgotten when it is old", () => {
	expect(measured(80, 2).costMs("light", 0)).toBeNull();
	expect(measured(80).costMs("light", 0)).toBeCloseTo(80);
	expect(measured(80).costMs("light", 600_001)).toBeNull();
	expect(measured(80).costMs("logs", 0)).toBeNull();
});

test("an endpoint's cost follows several slow answers, and not a single one", () => {
	const health = measured(100, 10);
	health.answered("light", 2_000, 0);
	expect(health.costMs("light", 0)).toBeLessThan(700);
	for (let sample = 0; sample < 8; sample++) health.answered("light", 2_000, 0);
	expect(health.costMs("light", 0)).toBeGreaterThan(1_800);
});

test("[ING-14] an endpoint that fails is not used for twice as long each time, up to a minute", () => {
	const health = createEndpointHealth();
	const rests: number[] = [];
	for (let failure = 0; failure < 9; failure++) {
		health.failed(0);
		rests.push(health.restsUntilMs());
	}
	expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
	expect(health.isSuspect(10 ** 9)).toBe(true);
	health.succeeded();
	expect(health.isSuspect(0)).toBe(false);
	health.failed(0);
	expect(health.restsUntilMs()).toBe(1_000);
});

test("[ING-14] a failure raises an endpoint's cost, by half as much after each minute", () => {
	const health = measured(100);
	health.failed(0);
	expect(health.costMs("light", 0)).toBeCloseTo(1_100);
	expect(health.costMs("light", 60_000)).toBeCloseTo(600);
	expect(health.costMs("light", 120_000)).toBeCloseTo(350);
});

test("[ING-14] an endpoint that gave a false answer is suspect for longer each time, despite good answers", () => {
	const health = createEndpointHealth();
	health.distrusted(0);
	health.succeeded();
	expect([health.isSuspect(29_999), health.isSuspect(30_000)]).toEqual([true, false]);
	health.distrusted(30_000);
	expect([health.isSuspect(89_999), health.isSuspect(90_000)]).toEqual([true, false]);
	for (let lie = 0; lie < 20; lie++) health.distrusted(100_000);
	expect([health.isSuspect(699_999), health.isSuspect(700_000)]).toEqual([true, false]);
	// After a quarter of an hour without a lie it starts again.
	health.distrusted(1_600_000);
	expect(health.isSuspect(1_630_000)).toBe(false);
});

test("[ING-14] an endpoint whose answer differed from others is not ranked last", () => {
	const health = measured(100);
	health.doubted(0);
	expect(health.isSuspect(0)).toBe(false);
	expect(health.costMs("light", 0)).toBeGreaterThan(1_000);
});

test("[ING-14] a block that was served is known, and a refused one counts as missing for 3 s", () => {
	const health = createEndpointHealth();
	expect(health.knows(7, 0)).toBe("unknown");
	health.has(7);
	expect([health.knows(6, 0), health.knows(7, 0), health.knows(8, 0)]).toEqual([
		"has",
		"has",
		"unknown",
	]);
	health.lacks(7, 1_000);
	expect([health.knows(6, 1_000), health.knows(7, 3_999), health.knows(9, 3_999)]).toEqual([
		"has",
		"lacks",
		"lacks",
	]);
	expect(health.knows(7, 4_000)).toBe("unknown");
});

test("a node that pruned old blocks keeps its known head", () => {
	const health = createEndpointHealth();
	health.has(10_000);
	health.lacks(5, 0);
	expect(health.headBlock()).toBe(10_000);
});

test("[ING-14] a head behind the others raises the cost by its distance; one that jumps back is reported", () => {
	const health = measured(100);
	expect(health.heardHead(100, { bestBlock: 100, nowMs: 0 })).toBe(false);
	expect(health.costMs("light", 0)).toBeCloseTo(100);
	expect(health.heardHead(98, { bestBlock: 100, nowMs: 0 })).toBe(true);
	expect(health.costMs("light", 0)).toBeCloseTo(200);
	expect(health.knows(99, 0)).toBe("lacks");
	health.heardHead(98, { bestBlock: 10 ** 12, nowMs: 0 });
	expect(health.costMs("light", 0)).toBeCloseTo(1_100);
	expect(health.heardHead(101, { bestBlock: 100, nowMs: 0 })).toBe(false);
	expect(health.costMs("light", 0)).toBeCloseTo(100);
});

test("an endpoint's cost is always a finite number, and its rest always ends", () => {
	const event = fc.record({
		what: fc.constantFrom("answered", "failed", "distrusted", "doubted", "succeeded", "head"),
		gapMs: fc.integer({ min: 0, max: 100_000 }),
		number: fc.integer({ min: 0, max: 10_000 }),
	});
	fc.assert(
		fc.property(fc.array(event, { maxLength: 80 }), (events) => {
			const health = createEndpointHealth();
			let nowMs = 0;
			for (const { what, gapMs, number } of events) {
				nowMs += gapMs;
				if (what === "answered") health.answered("light", number, nowMs);
				else if (what === "head") health.heardHead(number, { bestBlock: 5_000, nowMs });
				else if (what === "succeeded") health.succeeded();
				else health[what as "failed"](nowMs);
				const costMs = health.costMs("light", nowMs);
				expect(costMs === null || (Number.isFinite(costMs) && costMs >= 0)).toBe(true);
				expect(health.restsUntilMs()).toBeLessThanOrEqual(nowMs + 600_000);
			}
		}),
	);
});

test("an endpoint is far away if even its fastest answer took as long as a distant one's", () => {
	expect(measured(50, 2).isFar()).toBe(false);
	expect(measured(50).isFar()).toBe(true);
	expect(measured(19).isFar()).toBe(false);
	const health = measured(400, 5);
	health.answered("logs", 3, 0);
	expect(health.isFar()).toBe(false);
});
