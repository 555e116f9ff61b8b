import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRoundBook } from "#plugins/prices/history/createMemory.ts";
import type { Round } from "#plugins/prices/round.ts";

describe("createRoundBook", () => {
	const round = (id: number, updatedAtMs: number): Round => {
		return { id: BigInt(id), answer: BigInt(id * 10), updatedAtMs };
	};

	test("[MRG-05] the round at a time equals the one that a linear search finds", () => {
		const given = fc.uniqueArray(
			fc.record({ id: fc.integer({ min: 1, max: 1_000 }), at: fc.nat({ max: 200 }) }),
			{ selector: ({ id }) => id, maxLength: 60 },
		);
		fc.assert(
			fc.property(given, fc.integer({ min: -5, max: 210 }), fc.nat(60), (rounds, atMs, cut) => {
				const book = createRoundBook();
				const all = rounds.map(({ id, at }) => round(id, at));
				book.add("x", all.slice(cut));
				book.add("x", all.slice(0, cut));
				let newest: Round | null = null;
				for (const one of all) {
					if (one.updatedAtMs > atMs) continue;
					const isLater =
						!newest ||
						one.updatedAtMs > newest.updatedAtMs ||
						(one.updatedAtMs === newest.updatedAtMs && one.id > newest.id);
					if (isLater) newest = one;
				}
				expect(book.at("x", atMs)).toEqual(newest);
			}),
		);
	});

	test("a round that a fork replaced is the new one, and other feeds are not affected", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(2, 20)]);
		book.add("x", [{ ...round(2, 30), answer: 7n }]);
		expect(book.at("x", 25)?.id).toBe(1n);
		expect(book.at("x", 30)?.answer).toBe(7n);
		expect(book.at("y", 30)).toBeNull();
	});

	test("the price at a time between two rounds is unknown while rounds between them are missing", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(5, 50)]);
		book.setGaps(new Map([["x", new Set([1n])]]));
		expect(book.at("x", 10)).toBeNull();
		expect(book.at("x", 49)).toBeNull();
		expect(book.at("x", 50)?.id).toBe(5n);
		book.setGaps(new Map());
		expect(book.at("x", 49)?.id).toBe(1n);
	});

	test("a bounded number of rounds is kept, the newest ones", () => {
		const book = createRoundBook(2);
		book.add("x", [round(1, 10), round(2, 20), round(3, 30)]);
		expect(book.at("x", 15)).toBeNull();
		expect(book.at("x", 20)?.id).toBe(2n);
	});
});
