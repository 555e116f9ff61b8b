import { z } from "zod";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { type Venue, VenuePoint } from "#plugins/chain-scanner/contract.ts";
import { decodeLooksRare, looksRareTopics } from "#plugins/looksrare/decodeLooksRare.ts";

/**
 * The exchange of LooksRare v2, which exists on Ethereum alone.
 *
 * Its address follows (CREATE2) from its code, its owner and mainnet's WETH, so a contract at this
 * address on any other chain would be the same exchange of the same owner.
 */
export const looksRareVenue: Venue = {
	id: "looksrare",
	contracts: ["0x0000000000e655fae4d56241588680f86e3b2377"],
	topics: [looksRareTopics.takerBid, looksRareTopics.takerAsk],
	decode: decodeLooksRare,
};

/** Reads the sales of LooksRare v2. It only contributes a venue, as any third party can. */
export const looksRarePlugin = definePlugin({
	name: "looksrare",
	version: "1",
	config: z.object({}),
	needs: {},
	contributes: [contribute(VenuePoint, looksRareVenue)],
	setup: () => ({}),
});
