import { fullGC, heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import {
	RESTS_AFTER_GAPS,
	RHYTHM_GAPS,
	RHYTHM_LEAD_MS,
	RHYTHM_LEAD_SHARE,
	YIELDS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import {
	createBlockRhythm,
	createHeadGate,
	type HeadGate,
} from "#plugins/chain-scanner/write/createHeadGate.ts";

describe("createBlockRhythm", () => {
	/** A chain whose blocks come after these times, and a clock to look at it with. */
	function heard(gapsMs: readonly number[]) {
		let nowMs = 0;
		const rhythm = createBlockRhythm(() => nowMs);
		rhythm.came();
		for (const gapMs of gapsMs) {
			nowMs += gapMs;
			rhythm.came();
		}
		const lastMs = nowMs;
		const at = (afterMs: number) => {
			nowMs = lastMs + afterMs;
			return rhythm;
		};
		return Object.assign((afterMs: number) => at(afterMs).dueForMs(), {
			calmAt: (afterMs: number) => at(afterMs).calmForMs(),
		});
	}

	const steady = (gapMs: number) => Array.from({ length: RHYTHM_GAPS }, () => gapMs);

	test("the next block of a regular chain is waited for from shortly before to shortly after its time", () => {
		const dueAt = heard(steady(1_000));
		expect(dueAt(0)).toBe(0);
		expect(dueAt(1_000 - RHYTHM_LEAD_MS - 1)).toBe(0);
		expect(dueAt(1_000 - RHYTHM_LEAD_MS)).toBe(2 * RHYTHM_LEAD_MS);
		expect(dueAt(1_000)).toBe(RHYTHM_LEAD_MS);
		expect(dueAt(1_000 + RHYTHM_LEAD_MS)).toBe(0);
		// Late for good: nobody waits for a chain that stands still.
		expect(dueAt(60_000)).toBe(0);
	});

	test("no next block is predicted for a chain that is silent for long or irregular", () => {
		expect(heard(steady(1_000).slice(1))(1_000)).toBe(0);
		const wild = Array.from({ length: RHYTHM_GAPS }, (_, index) => 100 * 2 ** index);
		expect(heard(wild)(1_600)).toBe(0);
	});

	test("a skipped block, or two at once, do not change the predicted time", () => {
		const gapsMs = steady(2_000);
		gapsMs[3] = 4_000;
		gapsMs[6] = 1;
		expect(heard(gapsMs)(2_000)).toBe(RHYTHM_LEAD_MS);
	});

	test("on a fast chain at least half of the time remains for background work", () => {
		const dueAt = heard(steady(40));
		expect(dueAt(29)).toBe(0);
		expect(dueAt(30)).toBe(20);
		expect(dueAt(40)).toBe(10);
		expect(dueAt(50)).toBe(0);
	});

	test("the next block of a steady chain is waited for around its usual time only", () => {
		const cases = fc.integer({ min: 20, max: 12_000 }).chain((gapMs) => {
			const jitterMs = Math.floor(gapMs / 10);
			return fc.record({
				gapsMs: fc.array(fc.integer({ min: gapMs - jitterMs, max: gapMs + jitterMs }), {
					minLength: RHYTHM_GAPS,
					maxLength: RHYTHM_GAPS,
				}),
				offMs: fc.integer({ min: -2 * RHYTHM_LEAD_MS, max: 2 * RHYTHM_LEAD_MS }),
			});
		});
		fc.assert(
			fc.property(cases, ({ gapsMs, offMs }) => {
				const usualMs = gapsMs.toSorted((a, b) => a - b)[RHYTHM_GAPS >> 1] ?? 0;
				const leadMs = Math.min(RHYTHM_LEAD_MS, usualMs * RHYTHM_LEAD_SHARE);
				const isNear = offMs >= -leadMs && offMs < leadMs;
				expect(heard(gapsMs)(usualMs + offMs)).toBeCloseTo(isNear ? leadMs - offMs : 0, 6);
			}),
		);
	});

	test("the calm time lasts until the shortest recent block interval, and is endless on a stopped chain", () => {
		const ever = Number.POSITIVE_INFINITY;
		expect(createBlockRhythm().calmForMs()).toBe(ever);
		// One block is where the chain stood when it was first heard.
		expect(heard([]).calmAt(0)).toBe(ever);
		const { calmAt } = heard([2_000, 500, 2_000]);
		expect(calmAt(0)).toBe(500 - RHYTHM_LEAD_MS);
		expect(calmAt(400)).toBe(100 - RHYTHM_LEAD_MS);
		expect(calmAt(500)).toBe(0);
		expect(calmAt(2_000 * RESTS_AFTER_GAPS)).toBe(0);
		expect(calmAt(2_000 * RESTS_AFTER_GAPS + 1)).toBe(ever);
	});
});

describe("createHeadGate", () => {
	const LONG_MS = 60_000;

	test("background work continues when the last lane is done, and not before", async () => {
		const gate = createHeadGate();
		await gate.idle(LONG_MS);
		const [first, second] = [gate.enter(), gate.enter()];
		let went = 0;
		const waiting = [gate.idle(LONG_MS), gate.idle(LONG_MS)].map((idle) => idle.then(() => went++));
		first();
		// Leaving twice counts once.
		first();
		await Promise.resolve();
		expect(went).toBe(0);
		second();
		await Promise.all(waiting);
		expect(went).toBe(2);
		await gate.idle(LONG_MS);
	});

	test("background work waits for a busy head for a limited time only", async () => {
		const gate = createHeadGate();
		gate.enter();
		await gate.idle(1);
	});

	test("background writes run one by one after the head's, and a failed one does not delay the others", async () => {
		const gate = createHeadGate();
		const leave = gate.enter();
		const order: string[] = [];
		const write = (name: string) => async () => {
			order.push(`${name} begins`);
			await Promise.resolve();
			order.push(`${name} ends`);
			if (name === "b") throw new Error("no");
		};
		const writes = ["a", "b", "c"].map((name) => gate.behind(LONG_MS, write(name)));
		const settled = Promise.allSettled(writes);
		order.push("head");
		leave();
		const outcomes = await settled;
		expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
		expect(order).toEqual([
			"head",
			"a begins",
			"a ends",
			"b begins",
			"b ends",
			"c begins",
			"c ends",
		]);
	});

	test("a write that blocks a new block is restarted after it, and is finished in the end", async () => {
		const gate = createHeadGate();
		let attempts = 0;
		let leave = () => {};
		const wanted: boolean[] = [];
		const written = await gate.behind(LONG_MS, async (mustYield) => {
			attempts++;
			wanted.push(mustYield());
			// Another block comes while it writes, each time.
			leave = gate.enter();
			queueMicrotask(leave);
			if (mustYield()) throw scannerFault.gaveWay();
			return "written";
		});
		expect(written).toBe("written");
		expect(attempts).toBe(YIELDS_MAX + 1);
		expect(wanted).toEqual(wanted.map(() => false));
	});

	test("a write does not yield to a block that is already being read, and other failures are thrown", async () => {
		const gate = createHeadGate();
		const leave = gate.enter();
		const seen = await gate.behind(1, async (mustYield) => mustYield());
		expect(seen).toBe(false);
		leave();
		const failed = gate.behind(LONG_MS, async () => {
			gate.enter()();
			throw scannerFault.cursorMoved();
		});
		expect(await failed.catch(({ code }) => code)).toBe("lane_cursor_moved");
	});

	/** Foretells nothing. */
	const SILENT = { came() {}, dueForMs: () => 0, calmForMs: () => Number.POSITIVE_INFINITY };

	/** A gate whose lanes took the last block, and whose next one is due for so long. */
	function dueGate(dueForMs: number) {
		const gate = createHeadGate({ ...SILENT, dueForMs: () => dueForMs });
		gate.heard(1);
		gate.enter()();
		return gate;
	}

	test("background work waits for an expected block, and continues after it was read", async () => {
		const gate = dueGate(LONG_MS);
		let went = false;
		const waiting = gate.idle(LONG_MS).then(() => {
			went = true;
		});
		const leave = gate.enter();
		await Promise.resolve();
		expect(went).toBe(false);
		leave();
		await waiting;
		expect(went).toBe(true);
	});

	test("background work also waits for the reading of an expected block that takes longer", async () => {
		const gate = dueGate(1);
		let went = false;
		const waiting = gate.idle(LONG_MS).then(() => {
			went = true;
		});
		const leave = gate.enter();
		// Beyond the time that it was due: a timer of that length which was set later.
		await dueGate(1).idle(LONG_MS);
		expect(went).toBe(false);
		leave();
		await waiting;
	});

	test("an expected block that does not arrive delays nobody beyond its expected time", async () => {
		await dueGate(1).idle(LONG_MS);
		// Nor for longer than whoever waits can wait.
		await dueGate(LONG_MS).idle(1);
	});

	test("a block that no lane of this process reads is not waited for", async () => {
		const gate = createHeadGate({ ...SILENT, dueForMs: () => LONG_MS });
		gate.heard(1);
		await gate.idle(LONG_MS);
		gate.enter()();
		gate.heard(2);
		await gate.idle(LONG_MS);
	});

	test("a block that arrives while a lane works is read, and the next one is waited for", async () => {
		const gate = createHeadGate({ ...SILENT, dueForMs: () => LONG_MS });
		const leave = gate.enter();
		gate.heard(1);
		leave();
		let went = false;
		const waiting = gate.idle(LONG_MS).then(() => {
			went = true;
		});
		await Promise.resolve();
		expect(went).toBe(false);
		gate.enter()();
		await waiting;
	});

	test("a head that is repeated, or lower, is not counted as a new block; a higher one is", () => {
		let came = 0;
		const gate = createHeadGate({ ...SILENT, came: () => void came++ });
		const heard = [5, 5, 6, 1_000_000, 6, 6, 7].map((head) => {
			gate.heard(head);
			return came;
		});
		expect(heard).toEqual([1, 1, 2, 3, 3, 3, 4]);
	});

	test("waits that time out leave nothing in memory", async () => {
		const gate = dueGate(1);
		const before = memoryOf(gate);
		for (let turn = 0; turn < 20; turn++) {
			await Promise.all(Array.from({ length: 500 }, () => gate.idle(1)));
		}
		expect(memoryOf(gate) - before).toBeLessThan(1_000);
	});

	/** Functions that are alive; the gate is named so that it is one of them. */
	function memoryOf(_gate: HeadGate): number {
		fullGC();
		return heapStats().objectTypeCounts["Function"] ?? 0;
	}

	test("the calm time is zero while a lane works, and then the predicted time to the next block", () => {
		const gate = createHeadGate({ ...SILENT, calmForMs: () => 700 });
		const leave = gate.enter();
		expect(gate.calmForMs()).toBe(0);
		leave();
		expect(gate.calmForMs()).toBe(700);
	});
});
