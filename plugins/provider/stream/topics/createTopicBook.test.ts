import { expect, test } from "bun:test";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { STEADY_MS } from "#plugins/provider/stream/limits.ts";
import { manualTime, STARTED_AT_MS } from "#plugins/provider/stream/testing/manualTime.ts";
import { createTopicBook } from "#plugins/provider/stream/topics/createTopicBook.ts";

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

test("[MRG-13] what a topic missed reaches from the last frame before it broke", () => {
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

test("[MRG-13] a socket that is lost before a topic was joined again makes no gap smaller", () => {
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

test("an answer to an earlier join joins nothing, and one that came too late neither", () => {
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

test("a topic that breaks again and again rests longer each time, and not after a good while", () => {
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

test("in the older form an error names its join by its reference", () => {
	const { book, frame } = open();
	book.up();
	book.receive(frame("phx_reply"), 0);
	expect(book.receive(frame("phx_close", { joinRef: null, ref: "0" }), 0).kind).toBe("stray");
	expect(book.joined()).toBe(1);
	expect(book.receive(frame("phx_close", { joinRef: null }), 0).kind).toBe("protocol");
	expect(book.joined()).toBe(0);
});

test("without a socket nothing is sent, and nothing that was followed meanwhile is lost", () => {
	const { book, time, sent } = open();
	book.follow(new Map([["dogs", "collection:dogs"]]));
	time.advance(3_600_000);
	expect(sent).toEqual([]);
	book.up();
	expect(sent.map(({ topic }) => topic)).toEqual(["collection:dogs"]);
	expect(book.size()).toBe(1);
});
