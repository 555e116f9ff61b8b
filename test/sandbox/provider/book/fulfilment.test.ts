import { expect, test } from "bun:test";
import fc from "fast-check";
import { concatHex, type Hex, keccak256, toHex } from "viem";
import { merkleProof, merkleRoot } from "./fulfilment.ts";

const leafOf = (id: bigint): Hex => keccak256(toHex(id, { size: 32 }));
const ids = fc.uniqueArray(fc.bigInt(0n, 2n ** 256n - 1n), { minLength: 1, maxLength: 40 });

test("every id's proof leads to the root, as Seaport computes it", () => {
	fc.assert(
		fc.property(ids, fc.nat(), (all, n) => {
			const id = all[n % all.length]!;
			const walked = merkleProof(all, id).reduce<Hex>(
				(node, sibling) => keccak256(concatHex(node < sibling ? [node, sibling] : [sibling, node])),
				leafOf(id),
			);
			expect(walked).toBe(merkleRoot(all));
		}),
		{ numRuns: 60 },
	);
});

test("a token id outside of the tree has no proof; the root does not depend on the order of ids", () => {
	expect(merkleProof([1n, 2n], 3n)).toEqual([]);
	expect(merkleRoot([1n, 2n, 3n])).toBe(merkleRoot([3n, 1n, 2n]));
});
