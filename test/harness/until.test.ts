import { expect, test } from "bun:test";
import { cpuTimer } from "#test/harness/until.ts";

test("the time limit of until counts the processor's work, and not waiting", async () => {
	const waited = cpuTimer();
	await Bun.sleep(300);
	expect(waited()).toBeLessThan(250);
	const worked = cpuTimer();
	const endMs = performance.now() + 10_000;
	while (worked() < 50 && performance.now() < endMs);
	expect(worked()).toBeGreaterThanOrEqual(50);
});
