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

test("of what is no JSON no topic is told", () => {
	expect(topicOfHint("no JSON")).toBeUndefined();
});
