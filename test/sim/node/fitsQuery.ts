import type { Hex } from "#core/chain/Hex.ts";
import type { SentLog } from "#test/sim/node/renderBlock.ts";

/** The parameter of `eth_getLogs`. */
export type LogQuery = {
	fromBlock?: Hex;
	toBlock?: Hex;
	blockHash?: Hex;
	address?: Hex | readonly Hex[];
	topics?: readonly (Hex | null | readonly Hex[])[];
};

/**
 * Says whether a log is in the answer to a query, by address and topics. As geth does it: a query
 * with more topics than the log has leaves the log out.
 */
export function fitsQuery(log: SentLog, { address, topics = [] }: LogQuery): boolean {
	if (address !== undefined && ![address].flat().includes(log.address)) return false;
	if (log.topics.length < topics.length) return false;
	return topics.every((wanted, place) => {
		return wanted === null || [wanted].flat().includes(log.topics[place] ?? "0x");
	});
}
