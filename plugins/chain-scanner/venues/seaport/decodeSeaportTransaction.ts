import type { RawLog } from "#core/chain/RawLog.ts";
import type { VenueReading } from "#plugins/chain-scanner/contract.ts";
import { decodeAnyTransaction } from "#plugins/chain-scanner/venues/seaport/decodeAnyTransaction.ts";
import { readListings } from "#plugins/chain-scanner/venues/seaport/readListings.ts";

/**
 * Reads the sales from one transaction's Seaport logs.
 *
 * Logs of other contracts and other topics are skipped, so a whole receipt may be given.
 */
export function decodeSeaportTransaction(logs: readonly RawLog[]): VenueReading {
	const sales = readListings(logs);
	return sales ? { sales, undecoded: [] } : decodeAnyTransaction(logs);
}
