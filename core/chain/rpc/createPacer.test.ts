import { expect, test } from "bun:test";
import fc from "fast-check";
import { createPacer } from "#core/chain/rpc/createPacer.ts";

function lab(requestsPerSecondMax: number) {
	const time = { nowMs: 0 };
	const waits: number[] = [];
	const pacer = createPacer({
		requestsPerSecondMax,
		clock: { nowMs: () => time.nowMs },
		wait: async (ms) => void waits.push(ms),
	});
	return { time, waits, pacer };
}

test("[ING-14] no second holds more requests than are allowed, whenever they come", async () => {
	const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 });
	await fc.assert(
		fc.asyncProperty(gaps, fc.integer({ min: 5, max: 50 }), async (arrivals, perSecond) => {
			const { time, waits, pacer } = lab(perSecond);
			const startsMs: number[] = [];
			for (const gapMs of arrivals) {
				time.nowMs += gapMs;
				waits.length = 0;
				await pacer.turn();
				startsMs.push(time.nowMs + (waits[0] ?? 0));
			}
			for (const [index, startMs] of startsMs.entries()) {
				const later = startsMs[index + perSecond];
				if (later !== undefined) expect(later - startMs).toBeGreaterThanOrEqual(999.999);
			}
		}),
	);
});

test("who has been idle waits for nothing", async () => {
	const { time, waits, pacer } = lab(2);
	await pacer.turn();
	time.nowMs += 500;
	await pacer.turn();
	expect(waits).toEqual([]);
	await pacer.turn();
	expect(waits).toEqual([500]);
});

test("a queue that has become long refuses, as silence that is nobody's fault", async () => {
	const { pacer } = lab(1);
	for (let request = 0; request <= 10; request++) await pacer.turn();
	const failed = await pacer.turn().catch((error) => error);
	expect(failed).toMatchObject({ code: "rpc_transport", meta: { paced: true } });
});
