import { expect, test } from "bun:test";
import fc from "fast-check";
import { readAnswers } from "#core/chain/rpc/readAnswers.ts";

const calls = (count: number) => Array.from({ length: count }, () => ({ method: "m", params: [] }));

test("answers in any order, with ids as numbers or text, are put in the order of the calls", () => {
	const cases = fc
		.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(1_000_000), fc.boolean())
		.chain(([count, firstId, asText]) =>
			fc.tuple(
				fc.constant({ count, firstId, asText }),
				fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
			),
		);
	fc.assert(
		fc.property(cases, ([{ count, firstId, asText }, order]) => {
			const answers = order.map((index) => {
				const id = firstId + index;
				return { id: asText ? `${id}` : id, result: index };
			});
			const results = readAnswers(answers, calls(count), firstId);
			expect(results).toEqual([...Array(count).keys()]);
		}),
	);
});

test("whatever a node sends, it is results for all calls or a fault, and never anything else", () => {
	const answer = fc.oneof(
		fc.jsonValue(),
		fc.record({
			id: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.jsonValue()),
			result: fc.jsonValue(),
		}),
		fc.record({ id: fc.integer({ min: 0, max: 4 }), error: fc.jsonValue() }),
	);
	const bodies = fc.oneof(fc.jsonValue(), fc.array(answer, { maxLength: 5 }));
	fc.assert(
		fc.property(bodies, fc.integer({ min: 1, max: 4 }), (body, count) => {
			try {
				expect(readAnswers(body, calls(count), 1)).toHaveLength(count);
			} catch (error) {
				expect(error).toHaveProperty("name", "Fault");
			}
		}),
	);
});
