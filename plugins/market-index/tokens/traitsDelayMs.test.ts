import { expect, test } from "bun:test";
import { TRAITS_EVERY_MS } from "#plugins/market-index/tokens/limits.ts";
import { traitsDelayMs } from "#plugins/market-index/tokens/traitsDelayMs.ts";

const NOW_MS = 1_800_000_000_000;

test("[IDX-07] the first count is at once, the next one 15 minutes after it", () => {
	expect(traitsDelayMs({ traitsAt: null }, "done", NOW_MS)).toBe(0);
	const justNow = { traitsAt: new Date(NOW_MS - 1_000) };
	expect(traitsDelayMs(justNow, "done", NOW_MS)).toBe(TRAITS_EVERY_MS - 1_000);
	const longAgo = { traitsAt: new Date(NOW_MS - TRAITS_EVERY_MS - 1) };
	expect(traitsDelayMs(longAgo, "unreachable", NOW_MS)).toBe(0);
});

test("[IDX-07] half a collection is not worth a count of its own", () => {
	expect(traitsDelayMs({ traitsAt: null }, "late", NOW_MS)).toBe(TRAITS_EVERY_MS);
});
