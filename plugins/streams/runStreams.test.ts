import { expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { runStreams } from "#plugins/streams/runStreams.ts";

/** Runs both loops, moved on by hand: each `second` ends every wait under way. */
function open(tick: () => Promise<{ reads: Promise<unknown> }>) {
	let nowMs = 0;
	const waits: (() => void)[] = [];
	const calls = { ticks: 0, pings: 0, looks: 0, probes: 0 };
	const runner = runStreams({
		tailer: {
			tick: () => {
				calls.ticks += 1;
				return tick();
			},
			ping: () => {
				calls.pings += 1;
			},
		},
		streams: {
			checkUnsent: ({ look }) => {
				if (look) calls.looks += 1;
			},
			probe: () => {
				calls.probes += 1;
			},
		},
		clock: { nowMs: () => nowMs },
		log: silentLog,
		wait: (_ms, signal) =>
			new Promise((resolve) => {
				waits.push(resolve);
				signal.addEventListener("abort", () => resolve());
			}),
	});
	return {
		runner,
		calls,
		async second() {
			nowMs += 1_000;
			for (const wake of waits.splice(0)) wake();
			for (let index = 0; index < 10; index += 1) await Promise.resolve();
		},
	};
}

const fine = async () => ({ reads: Promise.resolve() });

test("[STR-05] pings go out every 15 seconds", async () => {
	const { runner, calls, second } = open(fine);
	runner.start();
	for (let index = 0; index < 46; index += 1) await second();
	expect(calls.pings).toBe(3);
	expect(calls.probes).toBe(3);
	expect(calls.looks).toBe(46);
	await runner.stop();
});

test("pings go on while the database hangs", async () => {
	const { runner, calls, second } = open(() => new Promise(() => {}));
	runner.start();
	for (let index = 0; index < 31; index += 1) await second();
	expect(calls.pings).toBe(2);
	expect(calls.ticks).toBe(1);
	expect(runner.silentMs()).toBe(31_000);
});

test("a failed look at the log is tried again a second later, and counts as silence", async () => {
	let away = true;
	const { runner, calls, second } = open(async () => {
		if (away) throw new Error("away");
		return { reads: Promise.resolve() };
	});
	runner.start();
	for (let index = 0; index < 20; index += 1) await second();
	expect(calls.ticks).toBeGreaterThan(15);
	expect(runner.silentMs()).toBe(20_000);
	away = false;
	await second();
	expect(runner.silentMs()).toBe(0);
	await runner.stop();
});

test("stop ends both loops", async () => {
	const { runner, calls, second } = open(fine);
	runner.start();
	await second();
	await runner.stop();
	const { ticks } = calls;
	await second();
	expect(calls.ticks).toBe(ticks);
});
