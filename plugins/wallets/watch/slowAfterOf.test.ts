import { expect, test } from "bun:test";
import { slowAfterOf } from "#plugins/wallets/watch/judgeWait.ts";

test("a transaction counts as slow after the configured time, and after twenty blocks on slower chains", () => {
	const reached = [{ id: 1, blockMs: 12_000 }, { id: 10, blockMs: 2_000 }, { id: 7 }];
	const { defaultMs, byChain } = slowAfterOf(
		reached.map((chain) => ({ chain })),
		120_000,
	);
	expect([defaultMs, [...byChain]]).toEqual([120_000, [[1, 240_000]]]);
});
