import { expect, test } from "bun:test";
import { createDeliveries } from "#plugins/custody/webhook/createDeliveries.ts";

const clock = { ms: 0, nowMs: () => clock.ms };

test("a delivery is taken once, for as long as its signature can be good", () => {
	const deliveries = createDeliveries(clock);
	expect(deliveries.take("a")).toBe(true);
	expect(deliveries.take("a")).toBe(false);
	expect(deliveries.take("b")).toBe(true);
	// Signed five minutes ahead of us, it would pass until five minutes behind.
	clock.ms += 599_999;
	expect(deliveries.take("a")).toBe(false);
	clock.ms += 1;
	// Now the provider would have had to sign it anew: somebody there sends it again on purpose.
	expect(deliveries.take("a")).toBe(true);
});

test("one that came to nothing is taken again", () => {
	const deliveries = createDeliveries(clock);
	deliveries.take("a");
	deliveries.giveBack("a");
	expect(deliveries.take("a")).toBe(true);
});

test("only so many are remembered, the newest", () => {
	const deliveries = createDeliveries(clock, { max: 2 });
	for (const id of ["a", "b", "c"]) deliveries.take(id);
	expect(deliveries.take("c")).toBe(false);
	expect(deliveries.take("b")).toBe(false);
	expect(deliveries.take("a")).toBe(true);
});
