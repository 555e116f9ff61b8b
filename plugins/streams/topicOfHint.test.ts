import { expect, test } from "bun:test";
import fc from "fast-check";
import { topicOfHint } from "#plugins/streams/topicOfHint.ts";

test("a topic that is told is the one that reading all of it finds, or nothing is told", () => {
	const text = fc.oneof(
		fc.record({ topic: fc.string(), seqFirst: fc.nat(), frames: fc.array(fc.jsonValue()) }),
		fc.record({ seqFirst: fc.nat(), topic: fc.string() }),
		fc.jsonValue(),
	);
	fc.assert(
		fc.property(text, (value) => {
			const told = topicOfHint(JSON.stringify(value));
			if (told !== undefined) expect(value).toHaveProperty("topic", told);
		}),
	);
});

test("the topic of an announcement of ours is told", () => {
	const batch = { topic: "collection:anvil:0xabc", seqFirst: 7, atMs: 1, frames: [] };
	expect(topicOfHint(JSON.stringify(batch))).toBe(batch.topic);
	expect(topicOfHint("no JSON")).toBeUndefined();
});
