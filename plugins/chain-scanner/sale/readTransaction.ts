import type { RawLog } from "#core/chain/RawLog.ts";
import type { Sale, UndecodedLog, Venue } from "#plugins/chain-scanner/contract.ts";

export type TransactionReading = {
	sales: { sale: Sale; venue: Venue }[];
	undecoded: (UndecodedLog & { log: RawLog })[];
};

const UINT256_MAX = 2n ** 256n - 1n;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Reads the venue logs of one transaction, venue by venue.
 *
 * A venue may be another plugin's: an exception counts as its logs not decoding, and so does a sale
 * that cannot be stored or that has the identity of another. The lane goes on.
 */
export function readTransaction(
	logs: readonly RawLog[],
	venues: readonly Venue[],
): TransactionReading {
	const reading: TransactionReading = { sales: [], undecoded: [] };
	const taken = new Set<string>();
	for (const venue of venues) {
		const own = logsOf(venue, logs);
		if (own.length > 0) readVenue(venue, own, { reading, taken });
	}
	return reading;
}

function logsOf({ contracts, topics }: Venue, logs: readonly RawLog[]): RawLog[] {
	const own: RawLog[] = [];
	let [address, topic, isOwn] = ["", "", false];
	for (const log of logs) {
		const [event = ""] = log.topics;
		// Most logs of a transaction have the contract and kind of the one before.
		if (log.address !== address || event !== topic) {
			({ address } = log);
			topic = event;
			isOwn = contracts.includes(log.address) && topics.some((known) => known === event);
		}
		if (isOwn) own.push(log);
	}
	return own;
}

function readVenue(
	venue: Venue,
	own: readonly RawLog[],
	{ reading, taken }: { reading: TransactionReading; taken: Set<string> },
): void {
	const byIndex = new Map(own.map((log) => [Number(log.logIndex), log]));
	try {
		const { sales, undecoded } = venue.decode(own);
		for (const sale of sales) {
			const log = byIndex.get(sale.logIndex);
			const flaw = log ? flawOf(sale) : "is of no log";
			const identity = `${sale.logIndex} ${sale.subIndex}`;
			const problem = flaw ?? (taken.has(identity) ? "was read twice" : null);
			taken.add(identity);
			if (problem === null) reading.sales.push({ sale, venue });
			else pushProblem(reading, log ?? own[0], `a sale of venue ${venue.id} ${problem}`);
		}
		for (const { logIndex, problem } of undecoded) {
			pushProblem(reading, byIndex.get(logIndex) ?? own[0], problem);
		}
	} catch (error) {
		const problem = `venue ${venue.id} failed: ${String(error).slice(0, 200)}`;
		for (const log of own) pushProblem(reading, log, problem);
	}
}

function pushProblem(reading: TransactionReading, log: RawLog | undefined, problem: string): void {
	if (log) reading.undecoded.push({ log, logIndex: Number(log.logIndex), problem });
}

/** Returns what makes a sale impossible to store or to count; null where it is sound. */
function flawOf(sale: Sale): string | null {
	const { contract, seller, buyer, currency, quantity, subIndex, tokenId, totalRaw } = sale;
	const areAddresses = ADDRESS.test(contract) && ADDRESS.test(seller) && ADDRESS.test(buyer);
	if (!areAddresses || (currency !== null && !ADDRESS.test(currency))) {
		return "has a malformed address";
	}
	if (!Number.isSafeInteger(subIndex) || subIndex < 0) return "has no place";
	if (tokenId < 0n || tokenId > UINT256_MAX) return "has a token id beyond 256 bits";
	if (quantity < 1n || quantity > UINT256_MAX) return "has a quantity beyond 256 bits";
	if (totalRaw !== null && (totalRaw < 0n || totalRaw > UINT256_MAX)) {
		return "has a price beyond 256 bits";
	}
	if ((totalRaw === null) !== (currency === null)) return "has half a price";
	return null;
}
