import { describe, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import { CLOCK_OFF_MS, createServiceClock } from "#core/serviceClock.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#core/time.ts";

const START_MS = Date.UTC(2026, 10, 28, 12);

/** Time goes on by `pass`; the machine's clock is wrong by `offMs`. */
function openLab() {
	let elapsedMs = 1_000.5;
	let offMs = 0;
	let databaseOffMs = 0;
	let answersIn = { before: 0, after: 0 };
	const said: string[] = [];
	const trueMs = () => START_MS + Math.floor(elapsedMs - 1_000.5);
	const clock = createServiceClock({
		machine: { nowMs: () => trueMs() + offMs },
		elapsedMs: () => elapsedMs,
		async databaseTime() {
			elapsedMs += answersIn.before;
			const databaseMs = trueMs() + databaseOffMs;
			elapsedMs += answersIn.after;
			return databaseMs;
		},
		log: {
			...silentLog,
			error: (message) => said.push(message),
			warn: (message) => said.push(message),
		},
	});
	return {
		...{ clock, said, trueMs },
		pass: (ms: number) => {
			elapsedMs += ms;
		},
		jump: (ms: number) => {
			offMs = ms;
		},
		databaseJumps: (ms: number) => {
			databaseOffMs = ms;
		},
		answers: (inMs: { before: number; after: number }) => {
			answersIn = inMs;
		},
	};
}

describe("createServiceClock", () => {
	test("the clock returns the machine's time before it knows the database's time", () => {
		const lab = openLab();
		lab.jump(HOUR_MS);
		expect(lab.clock.nowMs()).toBe(START_MS + HOUR_MS);
		expect(lab.clock.isOff()).toBe(false);
	});

	test("a machine's clock within one second of the database's is used unchanged", async () => {
		const lab = openLab();
		lab.jump(700);
		await lab.clock.measure();
		lab.pass(5_000);
		expect(lab.clock.nowMs()).toBe(START_MS + 5_000 + 700);
		expect([lab.clock.isOff(), lab.clock.degraded()]).toEqual([false, []]);
	});

	for (const jumpMs of [HOUR_MS, 25 * HOUR_MS, 8 * DAY_MS, 3 * SECOND_MS]) {
		for (const sign of [1, -1]) {
			test(`a jump of ${(sign * jumpMs) / SECOND_MS} s does not change the time, also before it is measured`, async () => {
				const lab = openLab();
				await lab.clock.measure();
				lab.pass(10_000);
				lab.jump(sign * jumpMs);
				expect(Math.abs(lab.clock.nowMs() - lab.trueMs())).toBeLessThan(2);
				expect(lab.clock.isOff()).toBe(jumpMs > CLOCK_OFF_MS);
				lab.pass(20_000);
				await lab.clock.measure();
				expect(Math.abs(lab.clock.nowMs() - lab.trueMs())).toBeLessThan(2);
			});
		}
	}

	test("while the machine's clock is wrong, it reports since when, by how much and what to do", async () => {
		const lab = openLab();
		await lab.clock.measure();
		lab.jump(HOUR_MS);
		expect(lab.clock.isOff()).toBe(true);
		lab.pass(90_000);
		expect(lab.clock.degraded()).toEqual([
			{
				...{ code: "clock_off", count: 1, oldestAgeSeconds: 90 },
				action: expect.stringContaining("3600 s"),
			},
		]);
		lab.jump(0);
		expect(lab.clock.degraded()).toEqual([]);
		expect(lab.said).toHaveLength(2);
	});

	test("when the database's clock is changed, the clock follows it, as in all processes", async () => {
		const lab = openLab();
		await lab.clock.measure();
		lab.databaseJumps(-HOUR_MS);
		await lab.clock.measure();
		expect(Math.abs(lab.clock.nowMs() - (lab.trueMs() - HOUR_MS))).toBeLessThan(2);
		expect(lab.clock.isOff()).toBe(true);
	});

	test("a slow answer of the database does not replace a better measurement", async () => {
		const lab = openLab();
		await lab.clock.measure();
		lab.jump(HOUR_MS);
		lab.answers({ before: 10, after: 60_000 });
		await lab.clock.measure();
		expect(Math.abs(lab.clock.nowMs() - lab.trueMs())).toBeLessThan(2);
	});
});
