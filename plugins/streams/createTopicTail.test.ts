import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseHint, replayGate, topicOfHint } from "#plugins/streams/createTopicTail.ts";

describe("parseHint", () => {
	test("a batch is parsed as it was announced", () => {
		fc.assert(
			fc.property(
				fc.record({
					topic: fc.string({ minLength: 1 }),
					seqFirst: fc.integer({ min: 1 }),
					atMs: fc.nat(),
					frames: fc.array(fc.record({ type: fc.string(), data: fc.jsonValue() }), {
						minLength: 1,
					}),
				}),
				(batch) => {
					const text = JSON.stringify(batch);
					expect(JSON.stringify(parseHint(text))).toBe(text);
				},
			),
		);
	});

	// Guarantee: whatever another version puts on the bus, no listener fails.
	test("any other text is no hint", () => {
		fc.assert(
			fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseHint(text) === undefined),
		);
		const good = { topic: "a", seqFirst: 1, atMs: 0, frames: [{ type: "t", data: 1 }] };
		for (const change of [{ seqFirst: 0 }, { seqFirst: 1.5 }, { topic: "" }, { frames: [] }]) {
			expect(parseHint(JSON.stringify({ ...good, ...change }))).toBeUndefined();
		}
	});
});

describe("replayGate", () => {
	test("no more replays than the limit run at once, and each gets its turn in order", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.array(fc.boolean(), { maxLength: 30 }),
				async (max, fails) => {
					const gate = replayGate(max);
					let running = 0;
					const begun: number[] = [];
					const runs = fails.map((fail, index) =>
						gate(async () => {
							begun.push(index);
							running += 1;
							expect(running).toBeLessThanOrEqual(max);
							await Promise.resolve();
							running -= 1;
							if (fail) throw new Error("fails");
							return index;
						}),
					);
					const settled = await Promise.allSettled(runs);
					expect(settled.map(({ status }) => status === "rejected")).toEqual(fails);
					expect(begun).toEqual(fails.map((_, index) => index));
					expect(await gate(async () => "still open")).toBe("still open");
				},
			),
		);
	});
});

describe("topicOfHint", () => {
	test("the topic that is read without parsing equals that of a full parse, or is undefined", () => {
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

	test("a text that is no JSON has no topic", () => {
		expect(topicOfHint("no JSON")).toBeUndefined();
	});
});
