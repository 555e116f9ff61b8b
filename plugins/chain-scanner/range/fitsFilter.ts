import type { LogFilter } from "#core/chain/LogFilter.ts";
import type { RawLog } from "#core/chain/RawLog.ts";

/** Says whether a node would return a log for a filter: as geth reads one, position by position. */
export function fitsFilter(log: Pick<RawLog, "address" | "topics">, filter: LogFilter): boolean {
	if (filter.address && !filter.address.includes(log.address)) return false;
	if (log.topics.length < filter.topics.length) return false;
	return filter.topics.every((wanted, position) => {
		const topic = log.topics[position];
		if (wanted === null || topic === undefined) return wanted === null;
		return typeof wanted === "string" ? wanted === topic : wanted.includes(topic);
	});
}
