import { expect, test } from "bun:test";
import { connectionCounts } from "#plugins/streams/connectionCounts.ts";

test("a client enters as often as it may, and again after it left", () => {
	const counts = connectionCounts(2);
	expect(["a", "a", "a", "b"].map(counts.enter)).toEqual([true, true, false, true]);
	counts.leave("a");
	expect(["a", "a"].map(counts.enter)).toEqual([true, false]);
	for (const client of ["a", "a", "b", "b", "never"]) counts.leave(client);
	expect(["b", "b", "b"].map(counts.enter)).toEqual([true, true, false]);
});
