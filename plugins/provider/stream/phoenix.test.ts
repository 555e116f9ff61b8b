import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	FRAME_BYTES_MAX,
	FRAMES_PER_TURN_MAX,
	INBOX_BYTES_MAX,
	INBOX_REST_MS_MAX,
	INBOX_REST_SHARE,
	INBOX_UNHURRIED_MAX,
} from "#plugins/provider/limits.ts";
import {
	createInbox,
	decodeFrame,
	encodeFrame,
	topicOf,
} from "#plugins/provider/stream/phoenix.ts";

describe("decodeFrame", () => {
	const ref = fc.option(fc.stringMatching(/^[a-z0-9]{1,10}$/));
	const name = fc.stringMatching(/^[a-z:_-]{1,40}$/);
	const text = fc.string({ unit: "grapheme", maxLength: 30 });
	const member = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
	const frame = fc.record({
		joinRef: ref,
		ref,
		topic: name,
		event: name,
		payload: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), member, { noNullPrototype: true }),
	});

	test("an encoded frame is decoded to the same frame", () => {
		fc.assert(
			fc.property(frame, (frame) => {
				const decoded = decodeFrame(encodeFrame(frame));
				expect(decoded).toMatchObject({ kind: "frame", frame });
			}),
		);
	});

	test("the older format is decoded to the same frame, with its references as numbers too", () => {
		fc.assert(
			fc.property(frame, fc.option(fc.nat()), (frame, number) => {
				const { joinRef: _, ...sent } = frame;
				const decoded = decodeFrame(JSON.stringify({ ...sent, ref: number }));
				const expected = { ...sent, joinRef: null, ref: number === null ? null : String(number) };
				expect(decoded).toMatchObject({ kind: "frame", frame: expected });
			}),
		);
	});

	test("[MRG-15] any data is decoded or refused, and nothing is thrown", () => {
		const anything = fc.oneof(fc.string(), fc.json(), fc.uint8Array(), fc.anything());
		fc.assert(
			fc.property(anything, (data) => {
				expect(["frame", "unreadable"]).toContain(decodeFrame(data).kind);
			}),
		);
	});

	test("[MRG-15] a frame above one MiB is refused, counted in bytes", () => {
		const around = JSON.stringify([null, null, "t", "e", { a: "" }]).length;
		const of = (text: string) => decodeFrame(JSON.stringify([null, null, "t", "e", { a: text }]));
		expect(of("a".repeat(FRAME_BYTES_MAX - around))).toMatchObject({ bytes: FRAME_BYTES_MAX });
		const refused = { kind: "unreadable", reason: "too_large" } as const;
		expect(of("a".repeat(FRAME_BYTES_MAX - around + 1))).toEqual(refused);
		expect(of("é".repeat(FRAME_BYTES_MAX / 2))).toEqual(refused);
	});

	test("[MRG-15] a frame nested a hundred thousand deep is refused", () => {
		const depth = 100_000;
		const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`;
		const text = `[null,null,"t","e",{"a":${nested}}]`;
		expect(decodeFrame(text)).toEqual({ kind: "unreadable", reason: "not_a_frame" });
	});

	test("an amount beyond a double is decoded exactly", () => {
		const decoded = decodeFrame('[null,null,"t","e",{"startAmount":90000000000000000001}]');
		expect(decoded).toMatchObject({ frame: { payload: { startAmount: "90000000000000000001" } } });
	});

	test("a closing frame is accepted with any payload", () => {
		for (const payload of [null, [], "gone"]) {
			const decoded = decodeFrame(JSON.stringify(["1", "1", "t", "phx_close", payload]));
			expect(decoded).toMatchObject({ frame: { event: "phx_close", payload: {} } });
		}
	});
});

describe("topicOf", () => {
	test("a collection's topic has its slug", () => {
		expect(topicOf("cool-cats_2")).toBe("collection:cool-cats_2");
		expect(topicOf("котики")).toBe("collection:котики");
	});

	test("a text that is no slug never gives a topic, and `*` never gives the topic of all collections", () => {
		for (const slug of ["", "*", "a*", "a b", "a:b", "a\u0000", "a\u202eb", "a".repeat(257)]) {
			expect(topicOf(slug)).toBeNull();
		}
	});
});

describe("createInbox", () => {
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

	test("a single frame is handled at once", () => {
		const { inbox, read, turn } = open();
		for (const frame of ["a", "b", "c"]) {
			inbox.add(frame);
			expect(read.at(-1)).toBe(frame);
			turn();
		}
	});

	test("many frames are handled in parts, in order, one part in each turn of the event loop", () => {
		const { inbox, read, turn, turns } = open();
		const flood = Array.from({ length: 10 * FRAMES_PER_TURN_MAX }, (_, frame) => String(frame));
		for (const frame of flood) inbox.add(frame);
		for (let most = FRAMES_PER_TURN_MAX; turns.length > 0; most += FRAMES_PER_TURN_MAX) {
			expect(read.length).toBeLessThanOrEqual(most);
			turn();
		}
		expect(read).toEqual(flood);
	});

	test("the inbox pauses between parts for longer than a part took, up to a limit", () => {
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

	test("the inbox does not pause if too many frames wait", () => {
		const { inbox, turn, restsMs } = open({ frameMs: 1 });
		const frames = INBOX_UNHURRIED_MAX + 3 * FRAMES_PER_TURN_MAX;
		for (let frame = 0; frame < frames; frame++) inbox.add(frame);
		for (let part = 0; part < 3; part++) turn();
		expect(restsMs).toEqual([0, 0, INBOX_REST_MS_MAX, INBOX_REST_MS_MAX]);
	});

	test("all frames are handled in order, and before the functions that were queued after them", () => {
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

	test("waiting frames are bounded in bytes: an overflow is reported once, and earlier frames keep their order", () => {
		const { inbox, read, turn, turns, full } = open();
		const large = "x".repeat(INBOX_BYTES_MAX / 4);
		for (let frame = 0; frame < FRAMES_PER_TURN_MAX; frame++) inbox.add(frame);
		for (let frame = 0; frame < 8; frame++) inbox.add(large);
		expect(full()).toBe(1);
		while (turns.length > 0) turn();
		expect(read).toHaveLength(FRAMES_PER_TURN_MAX + 4);
	});

	test("a closed inbox handles none of the waiting frames", () => {
		const { inbox, read, turn, turns } = open();
		for (let frame = 0; frame < 3 * FRAMES_PER_TURN_MAX; frame++) inbox.add(frame);
		inbox.close();
		while (turns.length > 0) turn();
		inbox.add("late");
		expect(read).toHaveLength(FRAMES_PER_TURN_MAX);
	});
});
