import { expect, test } from "bun:test";
import { restMs } from "#plugins/market-index/sync/walk/restMs.ts";

test("a walk rests twice as long after each page that could not be read, and half an hour at most", () => {
	expect([0, 1, 2, 3, 7, 99].map(restMs)).toEqual([
		18_000, 36_000, 72_000, 144_000, 1_800_000, 1_800_000,
	]);
});
