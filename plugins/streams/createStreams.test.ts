import { describe, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import {
	connectionCounts,
	createPublisher,
	runStreams,
	streamMetrics,
} from "#plugins/streams/createStreams.ts";

describe("connectionCounts", () => {
	test("a client may open up to the limit, and again after one was closed", () => {
		const counts = connectionCounts(2);
		expect(["a", "a", "a", "b"].map(counts.enter)).toEqual([true, true, false, true]);
		counts.leave("a");
		expect(["a", "a"].map(counts.enter)).toEqual([true, false]);
		for (const client of ["a", "a", "b", "b", "never"]) counts.leave(client);
		expect(["b", "b", "b"].map(counts.enter)).toEqual([true, true, false]);
	});
});

describe("createPublisher", () => {
	const KIB = "x".repeat(1024);

	function open() {
		const sent: [string, string][] = [];
		const turns: (() => void)[] = [];
		let looks = 0;
		const publisher = createPublisher({
			server: () => ({ publish: (topic, text) => sent.push([topic, text]) }),
			nextTurn: () => new Promise((resolve) => turns.push(resolve)),
			onTurnFull: () => {
				looks += 1;
			},
		});
		return { publisher, sent, turns, looks: () => looks };
	}

	test("a published message reduces the room until the event loop's turn ended", async () => {
		const { publisher, sent, turns } = open();
		expect(publisher.roomBytes()).toBe(128 * 1024);
		publisher.publish("a", KIB);
		publisher.publish("b", KIB);
		expect(sent).toEqual([
			["a", KIB],
			["b", KIB],
		]);
		expect(publisher.roomBytes()).toBe(126 * 1024);
		const passed = publisher.nextTurn();
		expect(turns).toHaveLength(1);
		turns[0]?.();
		await passed;
		expect(publisher.roomBytes()).toBe(128 * 1024);
	});

	// Guarantee: between two checks for slow readers no more goes out than they may have unsent.
	test("slow readers are checked after each 128 KiB, however small each message is", () => {
		const { publisher, looks } = open();
		for (let index = 0; index < 127; index += 1) publisher.publish("a", KIB);
		expect(looks()).toBe(0);
		publisher.publish("a", KIB);
		expect(looks()).toBe(1);
		for (let index = 0; index < 256; index += 1) publisher.publish("a", KIB);
		expect(looks()).toBe(3);
	});

	test("a message without a server is not published, and nothing fails", () => {
		const publisher = createPublisher({
			server: () => undefined,
			nextTurn: async () => {},
			onTurnFull: () => {},
		});
		expect(() => publisher.publish("a", "text")).not.toThrow();
	});
});

describe("runStreams", () => {
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

	test("pings continue while the database hangs", async () => {
		const { runner, calls, second } = open(() => new Promise(() => {}));
		runner.start();
		for (let index = 0; index < 31; index += 1) await second();
		expect(calls.pings).toBe(2);
		expect(calls.ticks).toBe(1);
		expect(runner.silentMs()).toBe(31_000);
	});

	test("a failed read of the log is retried a second later, and counts as silence", async () => {
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
});

describe("streamMetrics", () => {
	test("streams are counted by name, ends by code, and unknown codes as other", async () => {
		const metrics = createMetrics();
		const figures = streamMetrics(metrics);
		figures.opened("collection");
		figures.opened("collection");
		figures.opened("discover");
		figures.ended("collection");
		figures.published();
		for (const code of [4008, 4029, 1006, 3333, 4999]) figures.closed(code);
		const { body } = await metrics.expose();
		expect(body).toContain('tapeline_ws_connections{stream="collection"} 1');
		expect(body).toContain('tapeline_ws_connections{stream="discover"} 1');
		expect(body).toContain("tapeline_ws_frames_published_total 1");
		expect(body).toContain('tapeline_ws_closed_total{code="4008"} 1');
		expect(body).toContain('tapeline_ws_closed_total{code="other"} 2');
	});
});
