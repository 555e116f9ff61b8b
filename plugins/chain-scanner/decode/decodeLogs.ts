import type { RawLog } from "#core/chain/RawLog.ts";
import type { Sale, UndecodedLog, Venue } from "#plugins/chain-scanner/contract.ts";
import { proveSales } from "#plugins/chain-scanner/sale/proveSales.ts";
import { readTransaction } from "#plugins/chain-scanner/sale/readTransaction.ts";
import { tokenMoves } from "#plugins/chain-scanner/sale/tokenMoves.ts";

export type DecodedLogs = {
	sales: { sale: Sale; venue: Venue }[];
	undecoded: UndecodedLog[];
	/**
	 * Logs that were read, but may mean something else together with logs that are not in the file.
	 */
	doubts: UndecodedLog[];
};

/** The caller of a match who has an order of their own appears to trade with themselves. */
const MIRROR = "trades with its own offerer: the order that it was matched with may be missing";

/**
 * Reads the sales of one transaction of a file, and names what is missing.
 *
 * A file may contain a whole receipt, or selected logs. With any log of another contract it is read
 * as a receipt, and its tokens' logs decide; without one, and where the file is none by its own
 * word, it is not known what moved.
 */
export function decodeLogs(
	logs: readonly RawLog[],
	venues: readonly Venue[],
	{ isReceipt = false }: { isReceipt?: boolean } = {},
): DecodedLogs {
	const isOfOthers = logs.some(({ address }) => {
		return !venues.some(({ contracts }) => contracts.includes(address));
	});
	const { sales, undecoded } = readTransaction(logs, venues);
	if (isReceipt || isOfOthers)
		return { sales: proveSales(sales, tokenMoves(logs)), undecoded, doubts: [] };
	const proven = proveSales(sales, null);
	const mirrors = proven.filter(({ sale }) => sale.reason === "self_trade");
	const places = new Set(mirrors.map(({ sale }) => sale.logIndex));
	const doubts = [...places].map((logIndex) => ({ logIndex, problem: MIRROR }));
	return { sales: proven, undecoded, doubts };
}
