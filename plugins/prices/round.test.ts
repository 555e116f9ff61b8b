import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseRound } from "#plugins/prices/round.ts";
import { roundWords } from "#plugins/prices/testing/feedNode.ts";

describe("parseRound", () => {
	const NOW = 1_700_000_000_000;
	const good = { id: (3n << 64n) | 7n, answer: 250_000_000_000n, updatedAtMs: NOW };
	const problemOf = (answer: unknown) => {
		const parsed = parseRound(answer, NOW);
		return parsed.kind === "problem" ? parsed.problem : null;
	};

	test("a round is read as the feed wrote it", () => {
		expect(parseRound(roundWords(good), NOW)).toEqual({ kind: "round", round: good });
	});

	test("[MRG-02] zero, negative, huge, future and unfinished answers give no price", () => {
		const words = (given: Partial<typeof good>) => roundWords({ ...good, ...given });
		expect(problemOf(words({ answer: 0n }))).toBe("not_positive");
		expect(problemOf(words({ answer: -1n }))).toBe("not_positive");
		expect(problemOf(words({ answer: 2n ** 191n }))).toBe("too_large");
		expect(problemOf(words({ updatedAtMs: NOW + 120_000 }))).toBe("in_future");
		expect(problemOf(words({ updatedAtMs: 0 }))).toBe("missing");
		expect(problemOf(words({ id: 0n }))).toBe("malformed");
		expect(problemOf(words({ id: 1n << 80n }))).toBe("malformed");
		expect(problemOf("0x")).toBe("missing");
		expect(problemOf(null)).toBe("missing");
		expect(problemOf(`${roundWords(good)}00`)).toBe("malformed");
	});

	test("reading any answer of a node never throws", () => {
		fc.assert(
			fc.property(fc.anything(), (answer) => {
				parseRound(answer, NOW);
			}),
		);
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 160, maxLength: 160 }), (bytes) => {
				const parsed = parseRound(`0x${Buffer.from(bytes).toString("hex")}`, NOW);
				if (parsed.kind === "round") expect(parsed.round.answer > 0n).toBe(true);
			}),
		);
	});
});
