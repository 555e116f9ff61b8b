import type { Venue } from "#plugins/chain-scanner/contract.ts";
import { decodeLooksRare } from "#plugins/looksrare/decodeLooksRare.ts";
import { looksRareTopics } from "#plugins/looksrare/looksRareTopics.ts";

/**
 * LooksRare v2, which stands on Ethereum alone.
 *
 * The address is made (CREATE2) of the code, its owner and mainnet's WETH, so what stands there on
 * any other chain would be the same exchange of the same owner.
 */
export const looksRareVenue: Venue = {
	id: "looksrare",
	contracts: ["0x0000000000e655fae4d56241588680f86e3b2377"],
	topics: [looksRareTopics.takerBid, looksRareTopics.takerAsk],
	decode: decodeLooksRare,
};
