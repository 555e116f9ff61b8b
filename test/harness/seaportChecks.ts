import { expect } from "bun:test";
import { type Hex, numberToHex } from "viem";
import type { Sale } from "#plugins/chain-scanner/contract.ts";
import { decodeSeaportTransaction } from "#plugins/chain-scanner/venues/seaport/decodeSeaportTransaction.ts";
import type { SeaportChain } from "#test/harness/seaport.ts";
import type { Receipt } from "#test/harness/seaportOrder.ts";

export type ExpectedSale = Partial<Sale> & { tokenId: bigint };

/** Makes checks that compare the decoder's sales with the chain. */
export function seaportChecks(chain: SeaportChain) {
	/** Decodes the receipt, then compares each sale with the chain before and after its block. */
	async function salesOf(receipt: Receipt, expected: ExpectedSale[]): Promise<Sale[]> {
		const { sales, undecoded } = decodeSeaportTransaction(receipt.logs);
		expect(undecoded).toEqual([]);
		expect(sales.map(({ tokenId }) => tokenId)).toEqual(expected.map(({ tokenId }) => tokenId));
		for (const [index, sale] of sales.entries()) expect(sale).toMatchObject(expected[index] ?? {});
		expect(new Set(sales.map(({ logIndex, subIndex }) => `${logIndex}.${subIndex}`)).size).toBe(
			sales.length,
		);
		const before = numberToHex(BigInt(receipt.blockNumber) - 1n);
		for (const { standard, tokenId, seller, buyer } of sales) {
			if (standard === "erc721") {
				expect(await chain.ownerOf(tokenId, before)).toBe(seller);
				expect(await chain.ownerOf(tokenId, receipt.blockNumber)).toBe(buyer);
				continue;
			}
			for (const owner of new Set([seller, buyer])) {
				const changed =
					(await chain.multiBalance({ owner, id: tokenId }, receipt.blockNumber)) -
					(await chain.multiBalance({ owner, id: tokenId }, before));
				let said = 0n;
				for (const sale of sales) {
					if (sale.tokenId !== tokenId) continue;
					if (sale.buyer === owner) said += sale.quantity;
					if (sale.seller === owner) said -= sale.quantity;
				}
				expect(changed).toBe(said);
			}
		}
		return sales;
	}

	/** Checks that the sales are everything that left the account. */
	async function expectPaid(receipt: Receipt, by: Hex, currency: Hex, sales: Sale[]) {
		const total = sales.reduce((sum, sale) => sum + (sale.totalRaw ?? 0n), 0n);
		expect(await chain.spent({ account: by, currency }, receipt)).toBe(total);
	}
	return { salesOf, expectPaid };
}
