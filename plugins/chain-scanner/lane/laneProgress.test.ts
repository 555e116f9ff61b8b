import { expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import { laneProgress } from "#plugins/chain-scanner/lane/laneProgress.ts";

test("[API-18] a crowd that asks costs one read a second, and a failed read is not remembered", async () => {
	let nowMs = 0;
	let reads = 0;
	let rows: object[] = [];
	let failing = false;
	const query = async () => {
		reads++;
		if (failing) throw new Error("away");
		return rows;
	};
	const progress = laneProgress({ query } as unknown as Database, { nowMs: () => nowMs });
	expect(await progress(1, "sale")).toEqual({
		chainId: 1,
		lane: "sale",
		headBlock: null,
		indexedBlock: null,
		indexedAtMs: null,
		owes: false,
	});
	rows = [{ blockNumber: 5, headBlock: 6, indexedAt: new Date(7) }];
	await Promise.all([progress(1, "sale"), progress(1, "sale")]);
	expect(reads).toBe(1);
	nowMs = 1_000;
	expect(await progress(1, "sale")).toMatchObject({
		indexedBlock: 5,
		headBlock: 6,
		indexedAtMs: 7,
	});
	expect(reads).toBe(2);
	await progress(1, "mint");
	expect(reads).toBe(3);
	nowMs = 2_000;
	failing = true;
	await expect(progress(1, "sale")).rejects.toThrow("away");
	failing = false;
	expect((await progress(1, "sale")).indexedBlock).toBe(5);
});
