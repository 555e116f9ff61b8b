import { parseHead } from "#core/chain/heads/parseHead.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { BlockRange } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";

/** The part of an `eth_getLogs` filter that is not the range. */
export type LogFilter = {
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};

export type LogRange = {
	/** In chain order, all filters together. */
	logs: RawLog[];
	lastHash: Hex;
	/** Logs of the largest single answer. */
	logCount: number;
	/** When each block with a log was made. */
	blockTimeMs: ReadonlyMap<number, number>;
};

/**
 * Fetches the logs of a range, with the header of its last block in the same request.
 *
 * The header proves that the node had that block when it answered: a node that lags answers a
 * range beyond its head with what it has, as if the rest were empty.
 */
export async function readRange(
	rpc: Rpc,
	filters: readonly LogFilter[],
	range: BlockRange,
	signal: AbortSignal,
): Promise<LogRange> {
	const span = { fromBlock: hexOf(range.from), toBlock: hexOf(range.to) };
	const queries = filters.map((filter): RpcCall => {
		return { method: "eth_getLogs", params: [{ ...filter, ...span }] };
	});
	const answers = await rpc.batch([...queries, headerCall(range.to)], { signal });
	const header = parseHead(answers[queries.length]);
	if (!header || header.number !== range.to) {
		throw scannerFault.inconsistent({ detail: `the node has no block ${range.to} yet` });
	}
	const lists = answers.slice(0, queries.length).map((answer) => parseLogs(answer, range));
	const logs = mergeLists(lists);
	for (const log of logs) {
		if (Number(log.blockNumber) === range.to && log.blockHash !== header.hash) {
			throw scannerFault.inconsistent({ detail: `block ${range.to} has two hashes` });
		}
	}
	const known = new Map([[header.number, header.timestampMs]]);
	const blockTimeMs = await readTimes(rpc, logs, known, signal);
	const logCount = Math.max(0, ...lists.map((list) => list.length));
	return { logs, lastHash: header.hash, logCount, blockTimeMs };
}

function mergeLists(lists: readonly RawLog[][]): RawLog[] {
	if (lists.length === 1) return lists[0] ?? [];
	return lists.flat().sort((a, b) => {
		return Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex);
	});
}

/** From the logs where the node sends times with them, else from the blocks' headers. */
async function readTimes(
	rpc: Rpc,
	logs: readonly RawLog[],
	times: Map<number, number>,
	signal: AbortSignal,
): Promise<Map<number, number>> {
	const missing = new Map<number, Hex>();
	for (const log of logs) {
		const block = Number(log.blockNumber);
		if (times.has(block) || missing.has(block)) continue;
		if (log.blockTimestamp !== undefined) times.set(block, Number(log.blockTimestamp) * 1_000);
		else missing.set(block, log.blockHash);
	}
	const blocks = [...missing.keys()];
	if (blocks.length === 0) return times;
	const headers = await rpc.batch(blocks.map(headerCall), { signal });
	for (const [index, block] of blocks.entries()) {
		const header = parseHead(headers[index]);
		if (!header || header.hash !== missing.get(block)) {
			throw scannerFault.inconsistent({ detail: `block ${block} changed while it was read` });
		}
		times.set(block, header.timestampMs);
	}
	return times;
}

function headerCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexOf(block), false] };
}

function hexOf(block: number): Hex {
	return `0x${block.toString(16)}`;
}
