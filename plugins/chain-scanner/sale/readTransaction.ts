import type { RawLog } from "#core/chain/RawLog.ts";
import type { Sale, UndecodedLog, Venue } from "#plugins/chain-scanner/contract.ts";

export type TransactionReading = {
	sales: { sale: Sale; venue: Venue }[];
	undecoded: (UndecodedLog & { log: RawLog })[];
};

/**
 * Reads the venue logs of one transaction, venue by venue.
 *
 * A venue is somebody's plugin: what it throws counts as its logs not decoding, and the lane
 * goes on.
 */
export function readTransaction(
	logs: readonly RawLog[],
	venues: readonly Venue[],
): TransactionReading {
	const reading: TransactionReading = { sales: [], undecoded: [] };
	for (const venue of venues) {
		const own = logs.filter((log) => {
			const [topic] = log.topics;
			return (
				topic !== undefined && venue.contracts.includes(log.address) && venue.topics.includes(topic)
			);
		});
		if (own.length > 0) readVenue(venue, own, reading);
	}
	return reading;
}

function readVenue(venue: Venue, own: readonly RawLog[], reading: TransactionReading): void {
	const byIndex = new Map(own.map((log) => [Number(log.logIndex), log]));
	try {
		const { sales, undecoded } = venue.decode(own);
		for (const sale of sales) reading.sales.push({ sale, venue });
		for (const problem of undecoded) {
			const log = byIndex.get(problem.logIndex) ?? own[0];
			if (log) reading.undecoded.push({ ...problem, log });
		}
	} catch (error) {
		const problem = `venue ${venue.id} failed: ${String(error).slice(0, 200)}`;
		for (const log of own) reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem });
	}
}
