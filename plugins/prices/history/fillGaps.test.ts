import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Round } from "#plugins/prices/feed.ts";
import { createRoundBook, lowerPhase, roundsBelow } from "#plugins/prices/history/fillGaps.ts";

describe("createRoundBook", () => {
	const round = (id: number, updatedAtMs: number): Round => {
		return { id: BigInt(id), answer: BigInt(id * 10), updatedAtMs };
	};

	test("[MRG-05] a time has the newest round that was there: as a walk over all of them finds it", () => {
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

	test("a round that a fork changed is the changed one, and another feed's is not seen", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(2, 20)]);
		book.add("x", [{ ...round(2, 30), answer: 7n }]);
		expect(book.at("x", 25)?.id).toBe(1n);
		expect(book.at("x", 30)?.answer).toBe(7n);
		expect(book.at("y", 30)).toBeNull();
	});

	test("while rounds between two are missing, nothing is known of the time between them", () => {
		const book = createRoundBook();
		book.add("x", [round(1, 10), round(5, 50)]);
		book.setGaps(new Map([["x", new Set([1n])]]));
		expect(book.at("x", 10)).toBeNull();
		expect(book.at("x", 49)).toBeNull();
		expect(book.at("x", 50)?.id).toBe(5n);
		book.setGaps(new Map());
		expect(book.at("x", 49)?.id).toBe(1n);
	});

	test("only so many are kept, the newest", () => {
		const book = createRoundBook(2);
		book.add("x", [round(1, 10), round(2, 20), round(3, 30)]);
		expect(book.at("x", 15)).toBeNull();
		expect(book.at("x", 20)?.id).toBe(2n);
	});
});

describe("roundIds", () => {
	const inPhase = (phase: bigint, number: bigint) => (phase << 64n) | number;

	test("rounds are counted down to the first of their phase, and not into the one before", () => {
		expect(roundsBelow(inPhase(2n, 4n), { below: 0n, countMax: 10 })).toEqual([
			inPhase(2n, 3n),
			inPhase(2n, 2n),
			inPhase(2n, 1n),
		]);
		expect(roundsBelow(inPhase(2n, 1n), { below: 0n, countMax: 10 })).toEqual([]);
		expect(roundsBelow(4n, { below: 1n, countMax: 10 })).toEqual([3n, 2n]);
		expect(roundsBelow(400n, { below: 1n, countMax: 2 })).toEqual([399n, 398n]);
	});

	test("an aggregator without a proxy has no phases", () => {
		expect(lowerPhase(inPhase(3n, 9n))).toBe(2n);
		expect(lowerPhase(inPhase(1n, 9n))).toBeNull();
		expect(lowerPhase(9n)).toBeNull();
	});
});
