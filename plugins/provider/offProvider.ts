import type { Provider } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";
import { offStream } from "#plugins/provider/offStream.ts";

/**
 * The provider of a deployment without one. It is registered all the same, so that plugins which
 * need one can start and ask `isOn`, which costs nothing.
 */
export const offProvider: Provider = {
	id: PROVIDER_ID,
	isOn: false,
	isConnected: () => null,
	stream: offStream,
	newest: off,
	trending: off,
	top: off,
	search: off,
	slugOf: off,
	collection: off,
	stats: off,
	traits: off,
	traitFloors: off,
	events: off,
	listings: off,
	bestListings: off,
	bestListing: off,
	offers: off,
	order: off,
	nft: off,
	nfts: off,
	drops: off,
	drop: off,
	listingFulfilment: off,
};

async function off(): Promise<never> {
	throw providerFault.off();
}
