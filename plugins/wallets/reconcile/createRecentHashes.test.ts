import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRecentHashes } from "#plugins/wallets/reconcile/createRecentHashes.ts";

test("a hash is met once, however many blocks have it, and one that none has never", () => {
	const recent = createRecentHashes({ blocksMax: 2, hashesMax: 10 });
	recent.add(["0xa", "0xb"]);
	recent.add(["0xa"]);
	expect(["0xa", "0xa", "0xc", "0xb"].map(recent.take)).toEqual([true, false, false, true]);
});

const hash = fc.nat(30).map(String);
const manyBlocks = fc.array(fc.array(hash, { maxLength: 8 }), { minLength: 1, maxLength: 12 });
const most = fc.record({ blocksMax: fc.integer({ min: 1, max: 4 }), hashesMax: fc.nat(12) });

test("the newest block is remembered whole, and of older ones so many and so much at most", () => {
	fc.assert(
		fc.property(manyBlocks, most, (blocks, { blocksMax, hashesMax }) => {
			const recent = createRecentHashes({ blocksMax, hashesMax });
			for (const hashes of blocks) recent.add(hashes);
			const newest = new Set(blocks.at(-1));
			for (const one of newest) expect(recent.take(one)).toBe(true);
			const within = new Set(blocks.slice(-blocksMax).flat());
			const older = [...new Set(blocks.flat())].filter((one) => !newest.has(one));
			const kept = older.filter(recent.take);
			expect(kept.filter((one) => !within.has(one))).toEqual([]);
			expect(kept.length === 0 || kept.length + newest.size <= hashesMax).toBe(true);
		}),
	);
});
