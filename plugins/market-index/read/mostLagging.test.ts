import { expect, test } from "bun:test";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { mostLagging } from "#plugins/market-index/read/mostLagging.ts";

const NOW = 1_700_000_000_000;

function lane(chainId: number, lag: number, ageMs: number): LaneProgress {
	const indexedBlock = 1_000 - lag;
	return { chainId, lane: "sale", headBlock: 1_000, indexedBlock, indexedAtMs: NOW - ageMs };
}

const silent: LaneProgress = {
	chainId: 9,
	lane: "sale",
	headBlock: null,
	indexedBlock: null,
	indexedAtMs: null,
};

const worst = (...lanes: LaneProgress[]) => mostLagging(lanes, NOW).chainId;

test("[API-18] among lanes that are alive, the most blocks behind speaks for all", () => {
	expect(worst(lane(1, 2, 12_000), lane(2, 90, 500), lane(3, 0, 100))).toBe(2);
});

test("[API-18] a lane that died at the head speaks before one that lags and lives", () => {
	expect(worst(lane(1, 0, 400_000), lane(2, 90, 500))).toBe(1);
	expect(worst(lane(1, 0, 60_000), lane(2, 90, 59_999))).toBe(1);
});

test("[API-18] a lane that never told anything speaks before all others", () => {
	expect(worst(lane(1, 50_000, 400_000), silent)).toBe(9);
});
