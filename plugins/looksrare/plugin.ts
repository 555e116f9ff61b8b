import { z } from "zod";
import { definePlugin } from "#core/plugin/definePlugin.ts";
import { contribute } from "#core/plugin/extensionPoint.ts";
import { VenuePoint } from "#plugins/chain-scanner/contract.ts";
import { looksRareVenue } from "#plugins/looksrare/looksRareVenue.ts";

/** Sales on LooksRare v2, by the door that is open to every third party: one contribution. */
export const looksRarePlugin = definePlugin({
	name: "looksrare",
	version: "1",
	config: z.object({}),
	needs: {},
	contributes: [contribute(VenuePoint, looksRareVenue)],
	setup: () => ({}),
});
