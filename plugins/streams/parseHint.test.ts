import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseHint } from "#plugins/streams/parseHint.ts";

test("a batch is read as it was announced", () => {
	fc.assert(
		fc.property(
			fc.record({
				topic: fc.string({ minLength: 1 }),
				seqFirst: fc.integer({ min: 1 }),
				atMs: fc.nat(),
				frames: fc.array(fc.record({ type: fc.string(), data: fc.jsonValue() }), { minLength: 1 }),
			}),
			(batch) => {
				const text = JSON.stringify(batch);
				expect(JSON.stringify(parseHint(text))).toBe(text);
			},
		),
	);
});

// Guarantee: whatever another version puts on the bus, no listener fails.
test("anything else is no hint", () => {
	fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseHint(text) === undefined));
	const good = { topic: "a", seqFirst: 1, atMs: 0, frames: [{ type: "t", data: 1 }] };
	for (const change of [{ seqFirst: 0 }, { seqFirst: 1.5 }, { topic: "" }, { frames: [] }]) {
		expect(parseHint(JSON.stringify({ ...good, ...change }))).toBeUndefined();
	}
});
