import type { RawLog } from "#core/chain/Hex.ts";
import type { Venue, VenueReading } from "#plugins/chain-scanner/contract.ts";
import { decodeAnyTransaction } from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import { readListings } from "#plugins/chain-scanner/venues/seaport/readListings.ts";
import {
	seaportAdapters,
	seaportAddresses,
	seaportTopics,
} from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

/** Seaport 1.1 to 1.6, at the addresses that are the same on every chain. */
export const seaportVenue: Venue = {
	id: "seaport",
	contracts: seaportAddresses,
	topics: [seaportTopics.orderFulfilled, seaportTopics.ordersMatched],
	adapters: seaportAdapters,
	decode: decodeSeaportTransaction,
};

/**
 * Reads the sales from one transaction's Seaport logs.
 *
 * Logs of other contracts and other topics are skipped, so a whole receipt may be given.
 */
export function decodeSeaportTransaction(logs: readonly RawLog[]): VenueReading {
	const sales = readListings(logs);
	return sales ? { sales, undecoded: [] } : decodeAnyTransaction(logs);
}
