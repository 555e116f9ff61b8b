import { expect, test } from "bun:test";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { readCoverageEnd } from "#plugins/market-index/read/readCoverageEnd.ts";
import { readFreshness } from "#plugins/market-index/read/readFreshness.ts";
import { base, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

const asked: LaneKind[] = [];

function lanes(lag: Record<number, number | null>) {
	return {
		async progress(chainId: number, lane: LaneKind): Promise<LaneProgress> {
			asked.push(lane);
			const blocks = lag[chainId] ?? null;
			if (blocks === null) {
				return { chainId, lane, headBlock: null, indexedBlock: null, indexedAtMs: null };
			}
			return { chainId, lane, headBlock: 100, indexedBlock: 100 - blocks, indexedAtMs: NOW_MS };
		},
	};
}

const at = { nowMs: NOW_MS, listRefreshedAt: null };

test("[API-18] freshness is of the sale lane, and of the chain that lags most", async () => {
	const scanner = lanes({ [ethereum.id]: 3, [base.id]: 9 });
	expect(await readFreshness(scanner, [ethereum, base], at)).toMatchObject({
		chain: "base",
		lagBlocks: 9,
	});
	expect(await readFreshness(scanner, [ethereum], at)).toMatchObject({ chain: "ethereum" });
	expect(new Set(asked)).toEqual(new Set(["sale"]));
});

test("coverage ends where both lanes are, and is unknown while one lags, owes or is silent", async () => {
	expect(await readCoverageEnd(lanes({ 1: 0 }), 1)).toEqual(new Date(NOW_MS));
	expect(await readCoverageEnd(lanes({ 1: 1 }), 1)).toBeNull();
	const owing = lanes({ 1: 0 });
	const progress = async (id: number, lane: LaneKind) => {
		return { ...(await owing.progress(id, lane)), owes: lane === "mint" };
	};
	expect(await readCoverageEnd({ progress }, 1)).toBeNull();
	expect(await readCoverageEnd(lanes({}), 1)).toBeNull();
});

test("coverage of a chain that makes no block ends where its lanes last looked", async () => {
	const idle = lanes({ 1: 0 });
	const progress = async (id: number, lane: LaneKind) => {
		const lookedAtMs = NOW_MS + (lane === "mint" ? 60_000 : 90_000);
		return { ...(await idle.progress(id, lane)), coveredUntilMs: lookedAtMs };
	};
	expect(await readCoverageEnd({ progress }, 1)).toEqual(new Date(NOW_MS + 60_000));
});
