import { padHex } from "viem";
import type { Sale } from "#plugins/chain-scanner/contract.ts";

/** An accepted sale of one token for five units of the native currency. */
export function aSale(changes: Partial<Sale> = {}): Sale {
	return {
		logIndex: 1,
		subIndex: 0,
		contract: padHex("0xaa", { size: 20 }),
		standard: "erc721",
		tokenId: 8n,
		quantity: 1n,
		totalRaw: 5n,
		currency: padHex("0x00", { size: 20 }),
		seller: padHex("0x5e", { size: 20 }),
		buyer: padHex("0xb0", { size: 20 }),
		accepted: true,
		reason: null,
		...changes,
	};
}
