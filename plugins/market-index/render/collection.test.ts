import { expect, test } from "bun:test";
import { renderFreshness } from "#plugins/market-index/render/collection.ts";
import { ethereum } from "#plugins/market-index/testing/marketFixture.ts";

const lane = { chainId: 1, lane: "sale" as const, indexedAtMs: 1_000 };
const at = { nowMs: 5_000, listRefreshedAt: null };

test("[API-18] the lag is the head minus the indexed block, and never below 0", () => {
	const behind = renderFreshness(ethereum, { ...lane, headBlock: 10, indexedBlock: 7 }, at);
	expect(behind).toEqual({
		chain: "ethereum",
		headBlock: 10,
		indexedBlock: 7,
		indexedAt: "1970-01-01T00:00:01.000Z",
		lagBlocks: 3,
		listRefreshedAt: null,
		servedAt: "1970-01-01T00:00:05.000Z",
	});
	const ahead = renderFreshness(ethereum, { ...lane, headBlock: 7, indexedBlock: 10 }, at);
	expect(ahead.lagBlocks).toBe(0);
});

test("[API-18] the lag is unknown if only the head or only the indexed block is known", () => {
	const { lagBlocks } = renderFreshness(
		ethereum,
		{ ...lane, headBlock: 9, indexedBlock: null },
		at,
	);
	expect(lagBlocks).toBeNull();
});
