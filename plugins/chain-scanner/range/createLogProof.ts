import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { bloomMayHold } from "#plugins/chain-scanner/range/bloomMayHold.ts";
import { fitsFilter } from "#plugins/chain-scanner/range/fitsFilter.ts";
import type { LogFilter } from "#plugins/chain-scanner/range/LogFilter.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";

/** What was read of some blocks, with their headers. */
export type ReadLogs = {
	headers: readonly Head[];
	logs: readonly RawLog[];
	filters: readonly LogFilter[];
};

/** Throws `rpc_inconsistent` where logs contradict the headers of their blocks. */
export type LogProof = (read: ReadLogs, signal: AbortSignal) => Promise<void>;

/**
 * Holds a node's logs against the blooms in its headers.
 *
 * A node that has a block and not yet its logs answers an empty list, and one that lies may leave
 * out or invent. Where the bloom says otherwise than the list, the block's receipts decide. Some
 * chains do not fill their blooms: once receipts sided with logs that a bloom ruled out, that
 * chain's blooms are believed no more.
 */
export function createLogProof(rpc: Rpc): LogProof {
	let bloomsTell = true;
	return async ({ headers, logs, filters }, signal) => {
		if (!bloomsTell) return;
		const byBlock = Map.groupBy(logs, (log) => Number(log.blockNumber));
		for (const header of headers) {
			const own = byBlock.get(header.number) ?? [];
			const doubt = doubtOf(header, own, filters);
			if (!doubt) continue;
			const proven = await readReceiptLogs(rpc, header, signal);
			if (!proven) continue;
			const expected = proven.filter((log) => filters.some((filter) => fitsFilter(log, filter)));
			if (digest(expected) !== digest(own)) {
				const detail = `the logs of block ${header.number} are not those of its receipts`;
				throw scannerFault.inconsistent({ detail, meta: { kind: doubt } });
			}
			if (doubt === "log_outside_bloom") bloomsTell = false;
		}
	};
}

function doubtOf(
	{ logsBloom }: Head,
	own: readonly RawLog[],
	filters: readonly LogFilter[],
): "missing_logs" | "log_outside_bloom" | null {
	if (logsBloom === null) return null;
	// Token ids and addresses of people would each cost a hash; these two come again and again.
	const isRuledOut = ({ address, topics }: RawLog) =>
		!bloomMayHold(logsBloom, { address: [address], topics: topics.slice(0, 1) });
	if (own.some(isRuledOut)) return "log_outside_bloom";
	const isMissing = filters.some((filter) => {
		return bloomMayHold(logsBloom, filter) && !own.some((log) => fitsFilter(log, filter));
	});
	return isMissing ? "missing_logs" : null;
}

/** All logs of a block from its receipts; null where the node cannot tell them. */
async function readReceiptLogs(
	rpc: Rpc,
	header: Head,
	signal: AbortSignal,
): Promise<RawLog[] | null> {
	const call = { method: "eth_getBlockReceipts", params: [header.hash] };
	const answer = await rpc.call(call, { signal }).catch((error) => {
		if (error instanceof Fault && error.code === "rpc_refused") return null;
		throw error;
	});
	if (!Array.isArray(answer)) return null;
	const logs = answer.flatMap((receipt: { logs?: unknown } | null) => {
		return Array.isArray(receipt?.logs) ? receipt.logs : [];
	});
	const parsed = parseLogs(logs, { from: header.number, to: header.number });
	return parsed.every(({ blockHash }) => blockHash === header.hash) ? parsed : null;
}

function digest(logs: readonly RawLog[]): string {
	return logs
		.map((log): readonly (Hex | number)[] => {
			return [Number(log.logIndex), log.transactionHash, log.address, ...log.topics, log.data];
		})
		.sort(([a], [b]) => Number(a) - Number(b))
		.join("\n");
}
