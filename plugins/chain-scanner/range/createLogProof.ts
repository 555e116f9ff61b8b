// Checks logs against the blooms of their headers, and samples how many there are.

import { keccak256 } from "viem";
import { type Hex, hexQuantity, type LogFilter, type RawLog } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { PROOFS_REFUSED_MAX, SAMPLED_BLOCKS } from "#plugins/chain-scanner/limits.ts";
import type { BlockLoad, LogRange, ReadOptions } from "#plugins/chain-scanner/range/model.ts";
import {
	logBytes,
	logsDigest,
	mergeLogs,
	parseLogs,
} from "#plugins/chain-scanner/range/parseLogs.ts";
import { readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { fitsFilter, pushedRange, readRange } from "#plugins/chain-scanner/range/readRange.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** Holds the logs that were read of some blocks, with their headers. */
export type ReadLogs = {
	headers: readonly Head[];
	logs: readonly RawLog[];
	filters: readonly LogFilter[];
};

/** Throws `rpc_inconsistent` where logs contradict the headers of their blocks. */
export type LogProof = (read: ReadLogs, signal: AbortSignal) => Promise<void>;

type BloomBit = { position: number; mask: number };

/** Counts the characters of a bloom: `0x` and 2,048 bits in hex. */
const BLOOM_LENGTH = 2 + 512;
/** Bounds what is remembered: an indexer searches for a few topics and contracts repeatedly. */
const REMEMBERED_ITEMS_MAX = 4_096;

/** Contradictions of an answer about logs with itself. */
const LOG_CONTRADICTIONS: ReadonlySet<unknown> = new Set([
	"duplicate_log",
	"foreign_log",
	"hash_mismatch",
	"malformed",
]);

const remembered = new Map<Hex, readonly BloomBit[]>();

const BLOOM_BYTES = 256;

/** Blocks whose unexplained blooms are counted; the one that was read longest ago is forgotten. */
const UNEXPLAINED_BLOCKS_MAX = 1_024;

/**
 * Makes a check of a node's logs against the blooms in its headers.
 *
 * A node that has a block and not yet its logs returns an empty list, and one that lies may omit or
 * invent logs. If the bloom contradicts the list, the block's receipts decide, once they themselves
 * explain the bloom: a node that lacks the logs may lack the receipts too. Some chains do not fill
 * their blooms: once receipts agreed with logs that a bloom ruled out, that chain's blooms are not
 * used any more.
 */
export function createLogProof(rpc: Rpc): LogProof {
	let bloomsTell = true;
	const unexplained = new Map<Hex, number>();
	return async ({ headers, logs, filters }, signal) => {
		if (!bloomsTell) return;
		const byBlock = Map.groupBy(logs, (log) => Number(log.blockNumber));
		const fits = (log: RawLog) => filters.some((filter) => fitsFilter(log, filter));
		for (const header of headers) {
			const own = byBlock.get(header.number) ?? [];
			const doubt = doubtOf(header, own, filters);
			if (!doubt) continue;
			const receipts = await readReceiptLogs(rpc, header, signal);
			if (receipts === "not offered") continue;
			if (receipts && logsDigest(receipts.filter(fits)) !== logsDigest(own.filter(fits))) {
				const detail = `the logs of block ${header.number} are not those of its receipts`;
				throw scannerFault.inconsistent({ detail, meta: { kind: doubt } });
			}
			const isExplained = receipts && (doubt === "foreign_log" || explains(receipts, header));
			if (!isExplained) mustWait(unexplained, header);
			else if (doubt === "foreign_log") bloomsTell = false;
		}
	};
}

/**
 * Reads a range as `readRange` does. A settled block whose logs contradict themselves is read from
 * its receipts, if these explain its bloom to the bit: some nodes answer only one of the two
 * soundly. Nearer to the head the agreement of several endpoints may be demanded, which receipts
 * never have.
 *
 * An empty bloom explains nothing: some chains never fill theirs. A node that is between two forks
 * is no reason to ask for receipts, and what settles the block must be the same after them.
 */
export async function readSoundly(
	rpc: Rpc,
	filters: readonly LogFilter[],
	range: BlockRange,
	options: ReadOptions,
): Promise<LogRange> {
	const { signal, unsettledFrom, settledBy } = options;
	try {
		return await readRange(rpc, filters, range, options);
	} catch (error) {
		const { kind, forked } = error instanceof Fault ? error.meta : {};
		const isOne = range.from === range.to && typeof settledBy === "number";
		if (!isOne || forked === true || !LOG_CONTRADICTIONS.has(kind)) throw error;
		const [above, header] = await readHeaders(rpc, [settledBy, range.to], signal);
		if (!above || !header || header.logsBloom === null) throw error;
		if (header.logsBloom === bloomOf([])) throw error;
		const receipts = await readReceiptLogs(rpc, header, signal);
		if (!Array.isArray(receipts) || !explains(receipts, header)) throw error;
		const [still] = await readHeaders(rpc, [settledBy], signal);
		if (still?.hash !== above.hash) throw error;
		if (settledBy === range.to + 1 && still.parentHash !== header.hash) throw error;
		const all = mergeLogs([receipts], new Map([[header.number, header.hash]]));
		const own = all.filter((log) => filters.some((filter) => fitsFilter(log, filter)));
		return pushedRange(header, own, unsettledFrom);
	}
}

/** Returns false where a block's bloom rules out that any of its logs matches the filter. */
export function bloomMayHold(bloom: Hex, { address, topics }: LogFilter): boolean {
	if (address && !address.some((one) => bloomHas(bloom, one))) return false;
	return topics.every((wanted) => {
		if (wanted === null) return true;
		const any = typeof wanted === "string" ? [wanted] : wanted;
		return any.some((topic) => bloomHas(bloom, topic));
	});
}

/**
 * Returns the bloom of a block with just these logs: three bits for each address and topic (Yellow
 * Paper, 4.3.1). A hash for each of them: for the rare block that has to be proven.
 */
export function bloomOf(logs: readonly Pick<RawLog, "address" | "topics">[]): Hex {
	const bloom = new Uint8Array(BLOOM_BYTES);
	for (const item of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
		const hash = keccak256(item, "bytes");
		for (const at of [0, 2, 4]) {
			const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & (BLOOM_BYTES * 8 - 1);
			const byte = BLOOM_BYTES - 1 - (bit >> 3);
			bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
		}
	}
	return `0x${Buffer.from(bloom).toString("hex")}`;
}

/**
 * Reads a few blocks of a range, to learn how many of them fit one answer; null where the node does
 * not answer. One small request instead of a large answer that has to be refused.
 */
export async function sampleLogs(
	rpc: Rpc,
	filters: readonly LogFilter[],
	range: BlockRange,
	signal: AbortSignal,
): Promise<BlockLoad | null> {
	const span = range.to - range.from;
	const numbers = Array.from({ length: SAMPLED_BLOCKS }, (_, index) => {
		return range.from + Math.floor((span * (index + 0.5)) / SAMPLED_BLOCKS);
	});
	const calls = numbers.flatMap((number) => {
		const block = hexQuantity(number);
		return filters.map((filter) => ({
			method: "eth_getLogs",
			params: [{ ...filter, fromBlock: block, toBlock: block }],
		}));
	});
	try {
		const answers = await rpc.batch(calls, { signal });
		const lists = answers.map((answer) => parseLogs(answer, range));
		return {
			blocks: SAMPLED_BLOCKS,
			logCount: Math.max(0, ...lists.map(({ length }) => length)),
			answerBytes: lists.reduce((bytes, list) => bytes + logBytes(list), 0),
		};
	} catch (error) {
		// The range itself is requested next, and its failure is the one that counts.
		if (error instanceof Fault) return null;
		throw error;
	}
}

function doubtOf(
	{ logsBloom }: Head,
	own: readonly RawLog[],
	filters: readonly LogFilter[],
): "missing_logs" | "foreign_log" | null {
	if (logsBloom === null) return null;
	// Token ids and people's addresses would each cost a hash; these two repeat.
	const isRuledOut = ({ address, topics }: RawLog) =>
		!bloomMayHold(logsBloom, { address: [address], topics: topics.slice(0, 1) });
	if (own.some(isRuledOut)) return "foreign_log";
	const isMissing = filters.some((filter) => {
		return bloomMayHold(logsBloom, filter) && !own.some((log) => fitsFilter(log, filter));
	});
	return isMissing ? "missing_logs" : null;
}

/**
 * Returns all logs of a block from its receipts; null where the node does not have the block's, or
 * a receipt is without a list of logs.
 */
async function readReceiptLogs(
	rpc: Rpc,
	header: Head,
	signal: AbortSignal,
): Promise<RawLog[] | "not offered" | null> {
	const call = { method: "eth_getBlockReceipts", params: [header.hash] };
	const options = { signal, minBlock: header.number };
	const answer = await rpc.call(call, options).catch((error) => {
		if (error instanceof Fault && error.code === "rpc_refused") return "not offered";
		throw error;
	});
	if (answer === "not offered") return answer;
	if (!Array.isArray(answer)) return null;
	const lists = answer.map((receipt: { logs?: unknown } | null) => receipt?.logs);
	if (!lists.every(Array.isArray)) return null;
	const parsed = parseLogs(lists.flat(), { from: header.number, to: header.number });
	if (parsed.every(({ blockHash }) => blockHash === header.hash)) return parsed;
	const detail = `the receipts of block ${header.number} are of another block`;
	throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
}

/** Says whether a block with these logs has the bloom of its header. */
function explains(receipts: readonly RawLog[], { logsBloom }: Head): boolean {
	return logsBloom === null || bloomOf(receipts) === logsBloom;
}

/**
 * Throws unless the same answer came so often that the node is believed for this block: a chain
 * whose blooms contain more than its receipts must not stop forever. Each block has its own count,
 * as a range may hold several such blocks.
 */
function mustWait(unexplained: Map<Hex, number>, { number, hash }: Head): void {
	const times = (unexplained.get(hash) ?? 0) + 1;
	unexplained.delete(hash);
	unexplained.set(hash, times);
	for (const [oldest] of unexplained) {
		if (unexplained.size <= UNEXPLAINED_BLOCKS_MAX) break;
		unexplained.delete(oldest);
	}
	if (times > PROOFS_REFUSED_MAX) return;
	const detail = `the receipts of block ${number} do not explain its bloom`;
	throw scannerFault.inconsistent({ detail, meta: { kind: "missing_logs" } });
}

/**
 * Returns whether a block's logs bloom may contain an address or a topic. False is certain: no log
 * of the block has it. True may be chance, about one time in a thousand for a block of a hundred
 * logs.
 *
 * An invalid bloom returns true. Some chains send a bloom of zeros for blocks full of logs: the
 * caller must know its chain before it relies on false.
 *
 * Three bits, each the low 11 of two of the first six bytes of the hash (Yellow Paper, 4.3.1).
 */
export function bloomHas(bloom: Hex, item: Hex): boolean {
	if (bloom.length !== BLOOM_LENGTH) return true;
	return bitsOf(item).every(({ position, mask }) => {
		return (digitOf(bloom.charCodeAt(position)) & mask) !== 0;
	});
}

function bitsOf(item: Hex): readonly BloomBit[] {
	const known = remembered.get(item);
	if (known) return known;
	const hash = keccak256(item, "bytes");
	const bits = [0, 2, 4].map((at) =>
		bloomBit((((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047),
	);
	if (remembered.size >= REMEMBERED_ITEMS_MAX) remembered.clear();
	remembered.set(item, bits);
	return bits;
}

/**
 * Returns where a bit is. Bit 0 is the lowest of the last byte: four bits per hex digit, counted
 * from the end.
 */
function bloomBit(bit: number): BloomBit {
	return { position: BLOOM_LENGTH - 1 - (bit >> 2), mask: 1 << (bit & 3) };
}

/** Returns the value of `0`–`9`, `a`–`f` and `A`–`F`. */
function digitOf(code: number): number {
	return code <= 57 ? code - 48 : (code & 0xdf) - 55;
}
