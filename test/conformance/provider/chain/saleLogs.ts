import { type Hex, numberToHex, padHex } from "viem";
import type { NodeTransaction } from "#test/conformance/provider/chain/startNode.ts";
import { hashOf } from "#test/conformance/provider/world/namedHex.ts";
import { seaportLogs } from "#test/harness/seaportLogs.ts";

const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

export type ChainSale = { contract: Hex; tokenId: bigint; seller: Hex; buyer: Hex; wei: bigint };

/** A filled listing as Seaport and the token's contract log it. */
export function saleTransaction(sale: ChainSale): NodeTransaction {
	const { contract, tokenId, seller, buyer, wei } = sale;
	const transfer = {
		address: contract,
		topics: [
			TRANSFER as Hex,
			padHex(seller, { size: 32 }),
			padHex(buyer, { size: 32 }),
			numberToHex(tokenId, { size: 32 }),
		],
		data: "0x" as Hex,
	};
	const { address, topics, data } = seaportLogs.fulfilled({
		orderHash: hashOf(`sale of ${contract} ${tokenId} ${wei}`),
		offerer: seller,
		zone: ZERO,
		recipient: buyer,
		offer: [{ itemType: 2, token: contract, identifier: tokenId, amount: 1n }],
		consideration: [{ itemType: 0, token: ZERO, identifier: 0n, amount: wei, recipient: seller }],
	});
	return { value: wei, logs: [transfer, { address, topics: [...topics], data }] };
}
