import type { Venue } from "#plugins/chain-scanner/contract.ts";
import { decodeSeaportTransaction } from "#plugins/chain-scanner/venues/seaport/decodeSeaportTransaction.ts";
import { seaportAdapters } from "#plugins/chain-scanner/venues/seaport/seaportAdapters.ts";
import { seaportAddresses } from "#plugins/chain-scanner/venues/seaport/seaportAddresses.ts";
import { seaportTopics } from "#plugins/chain-scanner/venues/seaport/seaportTopics.ts";

/** Seaport 1.1 to 1.6, at the addresses that are the same on every chain. */
export const seaportVenue: Venue = {
	id: "seaport",
	contracts: seaportAddresses,
	topics: [seaportTopics.orderFulfilled, seaportTopics.ordersMatched],
	adapters: seaportAdapters,
	decode: decodeSeaportTransaction,
};
