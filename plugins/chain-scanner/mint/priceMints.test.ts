import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Hex, padHex, toHex } from "viem";
import type { Mint } from "#plugins/chain-scanner/mint/decodeMints.ts";
import { priceMints } from "#plugins/chain-scanner/mint/priceMints.ts";
import { seaportLogs } from "#test/harness/seaportOrder.ts";

function mintOf(transaction: number, quantity: bigint, contract: Hex = "0xaa"): Mint {
	const transactionHash = padHex(toHex(transaction), { size: 32 });
	const log = { ...seaportLogs.log({ topics: [], data: "0x" }), transactionHash };
	return { log, subIndex: 0, contract, standard: "erc1155", tokenId: 1n, quantity, to: "0xb0" };
}

test("[ING-07] the shares of a transaction's mints add up to its value, whatever does not divide", () => {
	const units = fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), {
		minLength: 1,
		maxLength: 20,
	});
	fc.assert(
		fc.property(units, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (quantities, value) => {
			const mints = quantities.map((quantity) => mintOf(1, quantity));
			const shares = priceMints(mints, () => value);
			expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(value);
			expect(shares.every((share) => share >= 0n)).toBe(true);
			const all = quantities.reduce((sum, quantity) => sum + quantity, 0n);
			for (const [index, share] of shares.entries()) {
				if (index > 0) expect(share).toBe((value / all) * (quantities[index] ?? 0n));
			}
		}),
	);
});

test("[ING-07] contracts minted in one transaction share its value by unit; others' values stay theirs", () => {
	const mints = [mintOf(1, 1n), mintOf(1, 3n, "0xbb"), mintOf(2, 1n)];
	const values = new Map([
		[mints[0]?.log.transactionHash, 40n],
		[mints[2]?.log.transactionHash, 7n],
	]);
	expect(priceMints(mints, (hash) => values.get(hash) ?? 0n)).toEqual([10n, 30n, 7n]);
});

test("[ING-07] a free mint is 0, not unknown", () => {
	expect(priceMints([mintOf(1, 5n)], () => 0n)).toEqual([0n]);
});
