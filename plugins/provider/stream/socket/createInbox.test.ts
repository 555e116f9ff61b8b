import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	FRAMES_PER_TURN_MAX,
	INBOX_BYTES_MAX,
	INBOX_REST_MS_MAX,
	INBOX_REST_SHARE,
	INBOX_UNHURRIED_MAX,
} from "#plugins/provider/stream/limits.ts";
import { createInbox } from "#plugins/provider/stream/socket/createInbox.ts";

/** Opens an inbox whose turns the test runs, with frames that take `frameMs` to read. */
function open({ frameMs = 0 } = {}) {
	const read: unknown[] = [];
	const turns: (() => void)[] = [];
	const restsMs: number[] = [];
	let full = 0;
	let nowMs = 0;
	const inbox = createInbox({
		receive(data) {
			read.push(data);
			nowMs += frameMs;
		},
		full: () => full++,
		later(ms, run) {
			restsMs.push(ms);
			turns.push(run);
		},
		nowMs: () => nowMs,
	});
	const turn = () => turns.shift()?.();
	return { inbox, read, turns, turn, restsMs, full: () => full };
}

test("a frame that comes alone is read at once", () => {
	const { inbox, read, turn } = open();
	for (const frame of ["a", "b", "c"]) {
		inbox.add(frame);
		expect(read.at(-1)).toBe(frame);
		turn();
	}
});

test("of a flood each turn of the event loop reads a part, in order, to the last", () => {
	const { inbox, read, turn, turns } = open();
	const flood = Array.from({ length: 10 * FRAMES_PER_TURN_MAX }, (_, frame) => String(frame));
	for (const frame of flood) inbox.add(frame);
	for (let most = FRAMES_PER_TURN_MAX; turns.length > 0; most += FRAMES_PER_TURN_MAX) {
		expect(read.length).toBeLessThanOrEqual(most);
		turn();
	}
	expect(read).toEqual(flood);
});

test("between two parts of a flood it rests for longer than it worked, and never for long", () => {
	const restsAt = (frameMs: number) => {
		const { inbox, turn, restsMs } = open({ frameMs });
		for (let frame = 0; frame < 4 * FRAMES_PER_TURN_MAX; frame++) inbox.add(frame);
		for (let part = 0; part < 3; part++) turn();
		return restsMs;
	};
	const partMs = FRAMES_PER_TURN_MAX * 0.1;
	expect(INBOX_REST_SHARE).toBeGreaterThan(1);
	// The first part is read as it comes, and the next one in the turn after.
	const rest = expect.closeTo(partMs * INBOX_REST_SHARE);
	expect(restsAt(0.1)).toEqual([0, rest, rest]);
	expect(restsAt(100)).toEqual([0, INBOX_REST_MS_MAX, INBOX_REST_MS_MAX]);
});

test("it does not rest where more waits than it reads in time", () => {
	const { inbox, turn, restsMs } = open({ frameMs: 1 });
	const frames = INBOX_UNHURRIED_MAX + 3 * FRAMES_PER_TURN_MAX;
	for (let frame = 0; frame < frames; frame++) inbox.add(frame);
	for (let part = 0; part < 3; part++) turn();
	expect(restsMs).toEqual([0, 0, INBOX_REST_MS_MAX, INBOX_REST_MS_MAX]);
});

test("whatever comes when, all of it is read in order, and functions run after it do so", () => {
	fc.assert(
		fc.property(fc.array(fc.nat(60), { maxLength: 12 }), (floods) => {
			const { inbox, read, turn, turns } = open();
			const sent: number[] = [];
			for (const flood of floods) {
				for (let frame = 0; frame < flood; frame++) {
					sent.push(sent.length);
					inbox.add(sent.length - 1);
				}
				turn();
			}
			let readBefore = -1;
			inbox.behind(() => {
				readBefore = read.length;
			});
			while (turns.length > 0) turn();
			expect(read).toEqual(sent);
			expect(readBefore).toBe(sent.length);
		}),
	);
});

test("waiting frames are bounded in bytes: that is reported once, and earlier frames stay in order", () => {
	const { inbox, read, turn, turns, full } = open();
	const large = "x".repeat(INBOX_BYTES_MAX / 4);
	for (let frame = 0; frame < FRAMES_PER_TURN_MAX; frame++) inbox.add(frame);
	for (let frame = 0; frame < 8; frame++) inbox.add(large);
	expect(full()).toBe(1);
	while (turns.length > 0) turn();
	expect(read).toHaveLength(FRAMES_PER_TURN_MAX + 4);
});

test("closed, it hands on none of the waiting frames", () => {
	const { inbox, read, turn, turns } = open();
	for (let frame = 0; frame < 3 * FRAMES_PER_TURN_MAX; frame++) inbox.add(frame);
	inbox.close();
	while (turns.length > 0) turn();
	inbox.add("late");
	expect(read).toHaveLength(FRAMES_PER_TURN_MAX);
});
