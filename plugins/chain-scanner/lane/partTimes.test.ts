import { expect, test } from "bun:test";
import { partTimes } from "#plugins/chain-scanner/lane/partTimes.ts";

// Guarantee: a lane never says of a time that it holds everything of it where it does not.

const reading = { range: { from: 10, to: 40 }, madeMs: { first: 1_000, last: 4_000 } };

test("the whole of a reading has the times of its ends", () => {
	expect(partTimes({ range: { from: 10, to: 40 }, events: [] }, reading)).toEqual({
		firstMs: 1_000,
		lastMs: 4_000,
	});
});

test("a part within ends with its last event, and nobody knows when it begins", () => {
	const events = [{ occurredAtMs: 2_000 }, { occurredAtMs: 2_500 }];
	expect(partTimes({ range: { from: 20, to: 25 }, events }, reading)).toEqual({
		firstMs: null,
		lastMs: 2_500,
	});
});

test("a source that does not know times says none", () => {
	const { range } = reading;
	expect(partTimes({ range, events: [] }, { range })).toEqual({ firstMs: null, lastMs: null });
});
