import type { Hex } from "#core/chain/Hex.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import type { BlockRange } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { LOG_ANSWER_BYTES_MAX } from "#plugins/chain-scanner/limits.ts";
import { mergeLogs } from "#plugins/chain-scanner/range/mergeLogs.ts";
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
 * range beyond its head with what it has, as if the rest were empty. It is asked for before the
 * logs, so that a block which arrives in between cannot vouch for logs read without it.
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
	const [first, ...answers] = await rpc
		.batch([headerCall(range.to), ...queries], { signal, bodyBytesMax: answerBytesMax(range) })
		.catch(async (error) => {
			throw await whyRefused(rpc, range, { error, signal });
		});
	const header = parseHead(first);
	if (!header || header.number !== range.to) throw notThere(range.to);
	const lists = answers.map((answer) => parseLogs(answer, range));
	const logs = mergeLogs(lists, header);
	const known = new Map([[header.number, header.timestampMs]]);
	const blockTimeMs = await readTimes(rpc, logs, known, signal);
	const logCount = Math.max(0, ...lists.map((list) => list.length));
	return { logs, lastHash: header.hash, logCount, blockTimeMs };
}

/**
 * One block cannot be asked for in parts: whatever it holds is taken, up to the client's own limit.
 */
function answerBytesMax({ from, to }: BlockRange): number | undefined {
	return to > from ? LOG_ANSWER_BYTES_MAX : undefined;
}

/**
 * Nodes refuse a range that ends above their head, and one that is too much for them, in words
 * that differ from node to node. Whether the node has the last block tells which it is: only a
 * node that has it refuses the range itself.
 */
async function whyRefused(
	rpc: Rpc,
	range: BlockRange,
	{ error, signal }: { error: unknown; signal: AbortSignal },
): Promise<unknown> {
	if (!(error instanceof Fault)) return error;
	if (error.code !== "rpc_range" && error.code !== "rpc_refused") return error;
	const answer = await rpc.call(headerCall(range.to), { signal }).catch(() => null);
	if (parseHead(answer)?.number !== range.to) return notThere(range.to, error);
	if (error.code === "rpc_range") return error;
	return rpcFault.range({ detail: error.privateDetail ?? error.message, cause: error });
}

function notThere(block: number, cause?: unknown) {
	return scannerFault.inconsistent({ detail: `the node has no block ${block} yet`, cause });
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
