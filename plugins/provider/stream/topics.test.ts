import { describe, expect, test } from "bun:test";
import { STEADY_MS } from "#plugins/provider/limits.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/model.ts";
import { manualTime, STARTED_AT_MS } from "#plugins/provider/stream/testing/manualTime.ts";
import {
	createPacedQueue,
	createTopicBook,
	rejoinDelayMs,
} from "#plugins/provider/stream/topics.ts";

describe("createPacedQueue", () => {
	function open() {
		const time = manualTime();
		const run: number[] = [];
		const queue = createPacedQueue<number>({
			timers: time.timers,
			perBeat: 2,
			beatMs: 100,
			run: (item) => void run.push(item),
		});
		return { time, run, queue };
	}

	test("the first items are sent at once, and the others one after each pause", () => {
		const { time, run, queue } = open();
		for (const item of [1, 2, 3, 4, 5]) queue.add(item);
		expect(run).toEqual([1, 2]);
		time.advance(99);
		expect(run).toEqual([1, 2]);
		time.advance(1);
		expect(run).toEqual([1, 2, 3, 4]);
		time.advance(100);
		expect(run).toEqual([1, 2, 3, 4, 5]);
	});

	test("the pause also applies to later items, and ends when the queue is empty", () => {
		const { time, run, queue } = open();
		queue.add(1);
		time.advance(50);
		queue.add(2);
		queue.add(3);
		expect(run).toEqual([1, 2]);
		time.advance(50);
		expect(run).toEqual([1, 2, 3]);
		time.advance(1_000);
		expect(time.delaysMs()).toEqual([]);
	});

	test("a removed item is not sent, and one that was added twice is sent once", () => {
		const { time, run, queue } = open();
		for (const item of [1, 2, 3, 3, 4]) queue.add(item);
		queue.remove(4);
		time.advance(100);
		queue.add(5);
		queue.add(6);
		queue.clear();
		time.advance(1_000);
		expect(run).toEqual([1, 2, 3, 5]);
	});
});

describe("createTopicBook", () => {
	function open() {
		const time = manualTime();
		const sent: PhoenixFrame[] = [];
		const gaps: string[] = [];
		let refs = 0;
		const book = createTopicBook({
			...time,
			random: () => 0.5,
			newRef: () => String(++refs),
			send: (frame) => void sent.push(frame),
			onJoined: (slug, sinceMs) => void gaps.push(`${slug} ${sinceMs - STARTED_AT_MS}`),
			onRefused: () => {},
		});
		book.follow(new Map([["cats", "collection:cats"]]));
		const frame = (event: string, changes: Partial<PhoenixFrame> = {}) => {
			const join = sent.findLast(({ event }) => event === "phx_join");
			const { ref = null } = join ?? {};
			const payload = { status: "ok" };
			return { joinRef: ref, ref, topic: "collection:cats", event, payload, ...changes };
		};
		return { book, time, sent, gaps, frame };
	}

	test("[MRG-13] a topic's gap begins at the last frame before it broke", () => {
		const { book, time, gaps, frame } = open();
		book.up();
		book.receive(frame("phx_reply"), 0);
		time.advance(5_000);
		book.receive(frame("phx_error"), STARTED_AT_MS + 4_000);
		expect(book.joined()).toBe(0);
		time.advance(1_000);
		book.receive(frame("phx_reply"), 0);
		expect(gaps).toEqual(["cats 0", "cats 4000"]);
	});

	test("[MRG-13] a socket that is lost before a topic is joined again does not shorten the gap", () => {
		const { book, time, gaps, frame } = open();
		book.up();
		book.receive(frame("phx_reply"), 0);
		book.down(STARTED_AT_MS + 1_000);
		time.advance(10_000);
		book.up();
		book.down(STARTED_AT_MS + 9_000);
		time.advance(10_000);
		book.up();
		book.receive(frame("phx_reply"), 0);
		expect(gaps).toEqual(["cats 0", "cats 1000"]);
	});

	test("an answer to an earlier join, and one that arrives too late, are ignored", () => {
		const { book, time, frame } = open();
		book.up();
		const early = frame("phx_reply");
		book.down(0);
		time.advance(1_000);
		book.up();
		expect(book.receive(early, 0)).toEqual({ kind: "stray" });
		time.advance(10_000);
		expect(book.receive(frame("phx_reply"), 0)).toEqual({ kind: "stray" });
		expect(book.joined()).toBe(0);
	});

	test("a topic that breaks repeatedly waits longer each time, until it was stable for a while", () => {
		const { book, time, sent, frame } = open();
		book.up();
		const waits: number[] = [];
		for (let round = 0; round < 5; round++) {
			book.receive(frame("phx_reply"), 0);
			if (round === 3) time.advance(STEADY_MS);
			book.receive(frame("phx_error"), 0);
			const [waitMs = 0] = time.delaysMs().filter((ms) => ms >= 1_000);
			waits.push(waitMs);
			time.advance(waitMs);
		}
		expect(waits).toEqual([1_000, 2_000, 5_000, 1_000, 2_000]);
		expect(sent.filter(({ event }) => event === "phx_join")).toHaveLength(6);
	});

	test("an error in the older format names its join by `ref`", () => {
		const { book, frame } = open();
		book.up();
		book.receive(frame("phx_reply"), 0);
		expect(book.receive(frame("phx_close", { joinRef: null, ref: "0" }), 0).kind).toBe("stray");
		expect(book.joined()).toBe(1);
		expect(book.receive(frame("phx_close", { joinRef: null }), 0).kind).toBe("protocol");
		expect(book.joined()).toBe(0);
	});

	test("nothing is sent without a socket, and followed topics are kept", () => {
		const { book, time, sent } = open();
		book.follow(new Map([["dogs", "collection:dogs"]]));
		time.advance(3_600_000);
		expect(sent).toEqual([]);
		book.up();
		expect(sent.map(({ topic }) => topic)).toEqual(["collection:dogs"]);
		expect(book.size()).toBe(1);
	});
});

describe("rejoinDelayMs", () => {
	test("the delay grows with each attempt, up to five minutes", () => {
		const delays = Array.from({ length: 9 }, (_, attempt) => rejoinDelayMs(attempt, () => 0.5));
		const last = [300_000, 300_000, 300_000];
		expect(delays).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 60_000, ...last]);
		expect(rejoinDelayMs(0, () => 0)).toBe(750);
		expect(rejoinDelayMs(0, () => 1)).toBe(1_250);
	});
});
