import { expect, test } from "bun:test";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { byLevel } from "#plugins/market-index/jobs/byLevel.ts";
import { lanesAreLevel } from "#plugins/market-index/jobs/lanesAreLevel.ts";
import { LEVEL_BLOCKS } from "#plugins/market-index/jobs/limits.ts";

type Said = Partial<Pick<LaneProgress, "headBlock" | "indexedBlock" | "owes">>;

const scannerOf = (said: Partial<Record<LaneKind, Said>>) => ({
	async progress(chainId: number, lane: LaneKind): Promise<LaneProgress> {
		const at = { headBlock: 1_000, indexedBlock: 1_000, indexedAtMs: 0 };
		return { ...at, ...said[lane], chainId, lane };
	},
});

test("level are lanes near the head that owe nothing, and chains that nobody follows", async () => {
	const near = { indexedBlock: 1_001 - LEVEL_BLOCKS };
	const unknown = { headBlock: null, indexedBlock: null };
	for (const said of [{}, { mint: near, sale: near }, { mint: unknown, sale: unknown }]) {
		expect(await lanesAreLevel(scannerOf(said), 1)).toBe(true);
	}
	// Owners are not asked about: their lane is the last in any case.
	expect(await lanesAreLevel(scannerOf({ transfer: { indexedBlock: 0 } }), 1)).toBe(true);
});

test("one lane that is behind, or owes, is enough", async () => {
	const far = { indexedBlock: 1_000 - LEVEL_BLOCKS };
	for (const said of [{ mint: far }, { sale: far }, { mint: { owes: true } }]) {
		expect(await lanesAreLevel(scannerOf(said), 1)).toBe(false);
		expect(await byLevel(scannerOf(said), [1, 2])).toEqual({ level: [], behind: [1, 2] });
	}
	expect(await byLevel(scannerOf({}), [1])).toEqual({ level: [1], behind: [] });
});
