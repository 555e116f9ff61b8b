// Reads the logs of a range together with the headers that prove them.

import { type Hex, hexQuantity, type LogFilter, type RawLog } from "#core/chain/Hex.ts";
import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import { type Rpc, type RpcCall, type RpcQuorum, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import {
	LOG_ANSWER_BYTES_MAX,
	LOG_ANSWER_BYTES_MAX_SCARCE,
} from "#plugins/chain-scanner/limits.ts";
import type { LogRange, ReadOptions } from "#plugins/chain-scanner/range/model.ts";
import {
	logBytes,
	logsDigest,
	mergeLogs,
	parseLogs,
} from "#plugins/chain-scanner/range/parseLogs.ts";
import {
	blocksOf,
	headerCall,
	keepValues,
	readBelow,
} from "#plugins/chain-scanner/range/readHeaders.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/**
 * Reads the logs of a range, with headers in the same request: of its last block, its first, and
 * every one that may still leave the chain.
 *
 * The last one proves that the node had that block when it answered: a lagging node answers a range
 * beyond its head with what it has, as if the rest were empty. It is requested before the logs, so
 * that a block which arrives in between cannot prove logs read without it. The head itself is read
 * by its hash: on another fork the node then has no answer.
 *
 * The block that makes a range a settled one is requested first and again last, and must be the
 * same: behind one address may be several nodes, and one of them on a fork that the others left
 * long ago.
 *
 * Where calls are scarce, headers within reach of reorgs are requested after the logs, which show
 * which of these blocks are read whole anyway. They are of the logs' chain because each is linked
 * to the last one, whenever it was read.
 */
export async function readRange(
	rpc: Rpc,
	filters: readonly LogFilter[],
	range: BlockRange,
	options: ReadOptions,
): Promise<LogRange> {
	const { signal, settledBy = null } = options;
	const head = headOf(range, options);
	const place = head
		? { blockHash: head.hash }
		: { fromBlock: hexQuantity(range.from), toBlock: hexQuantity(range.to) };
	const known = rememberedIn(range, options);
	const needed = head ? [] : headersNeeded(range, options).filter((number) => !known.has(number));
	const remembered = !head && isScarce(rpc) && mayLeaveAll(range, options) && options.remembered;
	const numbers = remembered ? [range.to] : needed;
	const closing = settledBy === null ? [] : [headerCall(settledBy)];
	const queries = filters.map((filter): RpcCall => {
		return { method: "eth_getLogs", params: [{ ...filter, ...place }] };
	});
	const answers = await rpc
		.batch([...numbers.map(headerCall), ...queries, ...closing], {
			signal,
			bodyBytesMax: answerBytesMax(rpc, range),
			minBlock: settledBy ?? range.to,
			inOrder: true,
			quorum: mayStillLeave(range, options) ? agreed(numbers.length, range) : undefined,
		})
		.catch(async (error) => {
			throw await whyRefused(rpc, { range, head }, { error, signal });
		});
	// Before the logs: a node that has neither lags, and has not said anything odd.
	const answered = head ? [head] : parseHeaders(numbers, answers);
	const lists = answers
		.slice(numbers.length, numbers.length + queries.length)
		.map((answer) => parseLogs(answer, range));
	let whole: unknown[] = [];
	if (remembered) {
		const isWhole = (await options.isWhole?.(lists.flat())) ?? (() => false);
		const below = needed.filter((number) => number !== range.to);
		const given = { signal, minBlock: range.to, isWhole, remembered };
		whole = await readBelow(rpc, below, given);
		answered.unshift(...parseHeaders(below, whole, { tornFrom: 0 }));
	}
	const all = known.size > 0 ? joined(answered, range, options) : answered;
	// Another fork than what is remembered, or the chain moved on: all headers are requested.
	const isOfOneFork = all && (!remembered || firstUnlinked(all) === null);
	if (!isOfOneFork) return readRange(rpc, filters, range, { ...options, remembered: undefined });
	mustBeLinked(all);
	if (settledBy !== null) mustBeSame(all, answers.at(-1));
	const headers = all.filter(({ number }) => number <= range.to);
	const logs = mergeLogs(lists, new Map(headers.map(({ number, hash }) => [number, hash])));
	const times = new Map(headers.map(({ number, timestampMs }) => [number, timestampMs]));
	if (mayLeaveAll(range, options)) options.remembered?.keep(headers);
	if (remembered) keepValues(whole, headers, remembered);
	return {
		logs,
		headers,
		...blocksOf(headers, range, options.unsettledFrom),
		logCount: Math.max(0, ...lists.map((list) => list.length)),
		answerBytes: logBytes(logs),
		blockTimeMs: options.untimed ? times : await readTimes(rpc, logs, times, signal),
	};
}

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

/** Returns one block's pushed logs in the shape of an answer about that block. */
export function pushedRange(head: Head, logs: RawLog[], unsettledFrom: number): LogRange {
	const { number, timestampMs } = head;
	return {
		logs,
		headers: [head],
		...blocksOf([head], { from: number, to: number }, unsettledFrom),
		logCount: logs.length,
		answerBytes: logBytes(logs),
		blockTimeMs: new Map([[number, timestampMs]]),
	};
}

function headOf(range: BlockRange, { head }: ReadOptions): Head | null {
	return head && range.from === range.to && range.to === head.number ? head : null;
}

/** Returns blocks below the range's last one that need not be requested. */
function rememberedIn(range: BlockRange, options: ReadOptions): Set<number> {
	const { remembered } = options;
	const known = new Set<number>();
	if (!remembered || !mayLeaveAll(range, options)) return known;
	for (let number = range.from; number < range.to; number++) {
		if (remembered.has(number)) known.add(number);
	}
	return known;
}

/** Says whether each header of a range is read: what is remembered is linked to the last one. */
function mayLeaveAll(range: BlockRange, { unsettledFrom }: ReadOptions): boolean {
	return range.from >= unsettledFrom;
}

/** Returns the headers to request, the last one first: it proves the logs. */
function headersNeeded(
	{ from, to }: BlockRange,
	{ unsettledFrom, settledBy = null }: ReadOptions,
): number[] {
	const numbers = settledBy === null ? [to] : [settledBy, to];
	if (from < to) numbers.push(from);
	for (let number = Math.max(from + 1, unsettledFrom); number < to; number++) numbers.push(number);
	return numbers;
}

/**
 * Returns the limit of an answer. One block cannot be split: it is accepted up to the client's own
 * limit.
 */
function answerBytesMax(rpc: Rpc, { from, to }: BlockRange): number | undefined {
	if (to === from) return undefined;
	return isScarce(rpc) ? LOG_ANSWER_BYTES_MAX_SCARCE : LOG_ANSWER_BYTES_MAX;
}

function isScarce(rpc: Rpc): boolean {
	return rpc.isScarce?.() ?? false;
}

function mayStillLeave(range: BlockRange, { unsettledFrom }: ReadOptions): boolean {
	return range.to >= unsettledFrom;
}

/** Compares headers by their hash, logs by their content: nodes differ in the fields they add. */
function agreed(headers: number, range: BlockRange): RpcQuorum {
	return {
		digest(result, index) {
			if (index < headers) return parseHead(result)?.hash ?? "none";
			try {
				return logsDigest(parseLogs(result, range));
			} catch {
				return "malformed";
			}
		},
	};
}

/**
 * Returns the Fault of a refusal. Nodes refuse a range that ends above their head, and one that is
 * too large, in words that differ from node to node. Whether the node has the last block decides:
 * only a node that has it refuses the range itself.
 */
async function whyRefused(
	rpc: Rpc,
	{ range, head }: { range: BlockRange; head: Head | null },
	{ error, signal }: { error: unknown; signal: AbortSignal },
): Promise<unknown> {
	if (!(error instanceof Fault)) return error;
	if (error.code !== "rpc_range" && error.code !== "rpc_refused") return error;
	const header = parseHead(await rpc.call(headerCall(range.to), { signal }).catch(() => null));
	if (header?.number !== range.to) return notThere(range.to, { cause: error });
	if (head && header.hash !== head.hash) return notThere(range.to, { cause: error });
	if (error.code === "rpc_range") return error;
	return rpcFault.range({ detail: error.privateDetail ?? error.message, cause: error });
}

function notThere(block: number, { cause, torn = false }: { cause?: unknown; torn?: boolean }) {
	const detail = `the node has no block ${block} yet`;
	return scannerFault.inconsistent({ detail, cause, meta: { kind: "block_missing", torn } });
}

function parseHeaders(
	numbers: readonly number[],
	answers: readonly unknown[],
	{ tornFrom = 1 }: { tornFrom?: number } = {},
): Head[] {
	const headers = numbers.map((number, index) => {
		const header = parseHead(answers[index]);
		// The last block comes first: a node that had it and lacks one below changed meanwhile.
		if (header?.number !== number) throw notThere(number, { torn: index >= tornFrom });
		return header;
	});
	return headers.sort((a, b) => a.number - b.number);
}

/**
 * Returns the headers of a whole range: the answered ones, with the remembered ones between them;
 * null where the remembered ones are of another fork.
 */
function joined(
	answered: readonly Head[],
	range: BlockRange,
	{ remembered }: ReadOptions,
): Head[] | null {
	const all: Head[] = [];
	for (let number = range.to; number >= range.from; ) {
		const next = answered.find((header) => header.number === number);
		if (!next) return null;
		const below = remembered?.below(next, range.from) ?? [];
		all.push(next, ...below.toReversed());
		number -= 1 + below.length;
	}
	return all.reverse();
}

function mustBeLinked(headers: readonly Head[]): void {
	const number = firstUnlinked(headers);
	if (number === null) return;
	const detail = `block ${number} does not follow the one below it`;
	throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch", forked: true } });
}

/** Returns the first block whose parent hash is not the block below it; null if all are linked. */
function firstUnlinked(headers: readonly Head[]): number | null {
	for (const [index, header] of headers.entries()) {
		const parent = headers[index - 1];
		if (parent?.number === header.number - 1 && parent.hash !== header.parentHash) {
			return header.number;
		}
	}
	return null;
}

/** Throws unless the highest header is the same at the end. */
function mustBeSame(headers: readonly Head[], answer: unknown): void {
	const [first, last] = [headers.at(-1), parseHead(answer)];
	if (first?.hash === last?.hash) return;
	const detail = `block ${first?.number} was another one when the range was read`;
	throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch", forked: true } });
}

/** Reads times from the logs where the node sends them, else from the blocks' headers. */
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
			const detail = `block ${block} changed while it was read`;
			throw scannerFault.inconsistent({ detail, meta: { kind: "hash_mismatch" } });
		}
		times.set(block, header.timestampMs);
	}
	return times;
}
