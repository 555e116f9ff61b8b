import { z } from "zod";
import { contribute, definePlugin } from "#core/plugin/Plugin.ts";
import { type Venue, VenuePoint } from "#plugins/chain-scanner/contract.ts";
import { decodeLooksRare, looksRareTopics } from "#plugins/looksrare/decodeLooksRare.ts";

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

/** Sales on LooksRare v2, by the door that is open to every third party: one contribution. */
export const looksRarePlugin = definePlugin({
	name: "looksrare",
	version: "1",
	config: z.object({}),
	needs: {},
	contributes: [contribute(VenuePoint, looksRareVenue)],
	setup: () => ({}),
});
