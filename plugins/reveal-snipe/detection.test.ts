import { describe, expect, test } from "bun:test";
import {
	joinTriggers,
	nextSteps,
	type Step,
	signalOfLog,
	type Trigger,
} from "#plugins/reveal-snipe/detection.ts";

describe("nextSteps", () => {
	const STEPS = Object.keys(nextSteps) as Step[];

	/** All allowed pairs; every other one is refused. */
	const ALLOWED = new Set([
		"queued reading",
		"reading counting",
		"reading ended",
		"counting ranking",
		"ranking plans",
		"plans revealing",
		"revealing ended",
	]);

	test("steps follow each other in one order, and only reading can end early", () => {
		for (const from of STEPS) {
			for (const to of STEPS) {
				expect([from, to, nextSteps[from].includes(to)]).toEqual([
					from,
					to,
					ALLOWED.has(`${from} ${to}`),
				]);
			}
		}
	});
});

describe("signals", () => {
	const trigger = (signal: Trigger["signal"], given: Partial<Trigger> = {}): Trigger => ({
		signal,
		block: { number: 7, atMs: 70 },
		heardAtMs: 100,
		isPolled: signal === "poll",
		...given,
	});

	test("of two signals the stronger counts, with the earlier time", () => {
		const block = trigger("block");
		const event = trigger("metadata_event", { heardAtMs: 110 });
		for (const joined of [joinTriggers(block, event), joinTriggers(event, block)]) {
			expect(joined).toEqual({ ...event, heardAtMs: 100 });
		}
		expect(joinTriggers(null, block)).toBe(block);
	});

	test("a due poll is not lost when a stronger signal joins it", () => {
		const [poll, block] = [trigger("poll"), trigger("block")];
		for (const joined of [joinTriggers(poll, block), joinTriggers(block, poll)]) {
			expect(joined).toMatchObject({ signal: "block", isPolled: true });
		}
		expect(joinTriggers(block, trigger("log")).isPolled).toBe(false);
	});

	test("joined signals keep the newest block, and the block's time if either has it", () => {
		const later = trigger("block", { block: { number: 8, atMs: 80 } });
		const log = trigger("log", { block: { number: 7, atMs: null } });
		expect(joinTriggers(log, later).block).toEqual({ number: 8, atMs: 80 });
		expect(joinTriggers(log, trigger("block")).block).toEqual({ number: 7, atMs: 70 });
		expect(joinTriggers(trigger("poll", { block: null }), log).block?.number).toBe(7);
	});

	test("events of ERC-4906 are recognised among other logs, in any case and without topics", () => {
		const batch = "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c";
		const single = "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7";
		expect(signalOfLog(batch)).toBe("metadata_event");
		expect(signalOfLog(single.toUpperCase().replace("0X", "0x"))).toBe("metadata_event");
		expect(signalOfLog(`0x${"11".repeat(32)}`)).toBe("log");
		expect(signalOfLog(undefined)).toBe("log");
	});
});
