import { expect, test } from "bun:test";
import { RECENT_EVENTS_MAX, RECENT_EVENTS_MS } from "#plugins/provider/stream/limits.ts";
import { createRecentEvents } from "#plugins/provider/stream/read/createRecentEvents.ts";
import { manualTime } from "#plugins/provider/stream/testing/manualTime.ts";

const frame = (seed: number, sent_at = "a", topic = "t") => ({
	joinRef: null,
	ref: null,
	topic,
	event: "item_listed",
	payload: { version: 1, sent_at, payload: { seed } },
});

test("an event is known again whenever it was sent, but not on another topic", () => {
	const recent = createRecentEvents(manualTime());
	expect(recent.isRepeated(frame(1))).toBe(false);
	expect(recent.isRepeated(frame(1, "b"))).toBe(true);
	expect(recent.isRepeated(frame(2))).toBe(false);
	expect(recent.isRepeated(frame(1, "a", "u"))).toBe(false);
});

test("it is forgotten after a while, and when too many came since", () => {
	const time = manualTime();
	const recent = createRecentEvents(time);
	recent.isRepeated(frame(0));
	time.advance(RECENT_EVENTS_MS - 1);
	expect(recent.isRepeated(frame(0))).toBe(true);
	time.advance(RECENT_EVENTS_MS);
	expect(recent.isRepeated(frame(0))).toBe(false);
	for (let seed = 1; seed <= RECENT_EVENTS_MAX; seed++) recent.isRepeated(frame(seed));
	expect(recent.isRepeated(frame(0))).toBe(false);
});
