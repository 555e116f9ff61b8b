import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";

/**
 * Returns the parts of logs that honest nodes agree on; some send times with them and some do not.
 */
export function logsDigest(logs: readonly RawLog[]): string {
	return logs
		.map((log): readonly (Hex | number)[] => {
			const place = [Number(log.blockNumber), Number(log.logIndex)];
			return [...place, log.blockHash, log.transactionHash, log.address, ...log.topics, log.data];
		})
		.sort(([a = 0, i = 0], [b = 0, j = 0]) => Number(a) - Number(b) || Number(i) - Number(j))
		.join("\n");
}
