import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeFrame } from "#plugins/provider/stream/frame/decodeFrame.ts";
import { encodeFrame } from "#plugins/provider/stream/frame/encodeFrame.ts";
import { FRAME_BYTES_MAX } from "#plugins/provider/stream/limits.ts";

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

test("what we write is read back as it was", () => {
	fc.assert(
		fc.property(frame, (frame) => {
			const decoded = decodeFrame(encodeFrame(frame));
			expect(decoded).toMatchObject({ kind: "frame", frame });
		}),
	);
});

test("the older form means the same, with its references as numbers too", () => {
	fc.assert(
		fc.property(frame, fc.option(fc.nat()), (frame, number) => {
			const { joinRef: _, ...sent } = frame;
			const decoded = decodeFrame(JSON.stringify({ ...sent, ref: number }));
			const expected = { ...sent, joinRef: null, ref: number === null ? null : String(number) };
			expect(decoded).toMatchObject({ kind: "frame", frame: expected });
		}),
	);
});

test("[MRG-15] whatever arrives is read or refused, and nothing is thrown", () => {
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

test("an amount that no double holds stays what it was", () => {
	const decoded = decodeFrame('[null,null,"t","e",{"startAmount":90000000000000000001}]');
	expect(decoded).toMatchObject({ frame: { payload: { startAmount: "90000000000000000001" } } });
});

test("a closing frame counts whatever its payload is", () => {
	for (const payload of [null, [], "gone"]) {
		const decoded = decodeFrame(JSON.stringify(["1", "1", "t", "phx_close", payload]));
		expect(decoded).toMatchObject({ frame: { event: "phx_close", payload: {} } });
	}
});
