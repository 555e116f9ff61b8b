// Reads a contract's logs from blocks that are final, for accounting.

import { z } from "zod";
import {
	type Address,
	BLOCK_NUMBER_MAX,
	type Hex,
	hexQuantity,
	isAddress,
	isWord,
	PLACE_MAX,
	type RawLog,
} from "#core/chain/Hex.ts";
import { type Head, parseHead } from "#core/chain/heads/Head.ts";
import { chainFault } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcInconsistency } from "#core/chain/rpc/Rpc.ts";
import { assert, Fault } from "#core/fault.ts";

export type FinalLogsAsked = {
	/** The contracts; at least one. */
	addresses: readonly Address[];
	fromBlock: number;
	/** The number of blocks on top of a block before it is read. */
	finalDepth: number;
	/** The number of blocks that are read at once; fewer where the node refuses that many. */
	blocksMax: number;
	/** The last block to read, however many are final. */
	toBlockMax?: number | undefined;
	/** The last block of the read before; the new blocks must continue from it. */
	after?: { block: number; hash: Hex } | null | undefined;
	/** Returns whether the time of a log's block is wanted, which may cost one call per block. */
	isTimed?(log: RawLog): boolean;
	signal: AbortSignal;
};

export type FinalLogs =
	| {
			kind: "logs";
			/** In chain order; complete up to block `to`. */
			logs: RawLog[];
			to: number;
			toHash: Hex;
			/** The times of the blocks of timed logs, in Unix ms. */
			timeMs: ReadonlyMap<number, number>;
			/** The last block that is final; if it is above `to`, there is more to read. */
			finalBlock: number;
	  }
	/** No block from `fromBlock` on is final yet. */
	| { kind: "none"; finalBlock: number }
	/** The block of `after` is not in the chain: what was read up to it may be wrong. */
	| { kind: "forked" };

type Range = { addresses: ReadonlySet<Address>; from: number; to: number };

/** A larger answer is read in parts. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

/** A node may refuse a range in unknown words, or claim to be further than it is. */
const SHRINKING: ReadonlySet<string> = new Set(["rpc_range", "rpc_refused", "chain_behind"]);

const isHex = (text: string): text is Hex => text.startsWith("0x");
const hex = (form: RegExp) =>
	z
		.string()
		.transform((text) => text.toLowerCase())
		.refine((text): text is Hex => isHex(text) && form.test(text));
const word = z.string().toLowerCase().refine(isWord);
const place = hex(/^0x[0-9a-f]{1,13}$/).refine((text) => Number(text) <= PLACE_MAX);
const quantity = hex(/^0x[0-9a-f]{1,13}$/)
	.transform(Number)
	.refine((block) => block <= BLOCK_NUMBER_MAX);
const logList = z.array(
	z.object({
		address: z.string().toLowerCase().refine(isAddress),
		topics: z.array(word).max(4),
		data: hex(/^0x([0-9a-f]{2})*$/),
		blockNumber: hex(/^0x[0-9a-f]{1,13}$/),
		blockHash: word,
		transactionHash: word,
		transactionIndex: place,
		logIndex: place,
		// Some nodes send none, and some send 0 for unknown.
		blockTimestamp: hex(/^0x0*[1-9a-f][0-9a-f]{0,9}$/)
			.optional()
			.catch(undefined),
		removed: z.boolean().optional().catch(undefined),
	}),
);

/**
 * Reads the logs of contracts in final blocks: from a block up to the head minus a depth, as many
 * blocks at once as the node accepts. With a quorum (`RPC_QUORUM`) as many nodes must answer the
 * same; each of them must have the block that makes the range final.
 *
 * For accounting by a chain that may be minutes behind: nothing must be retracted. Throws Faults of
 * the chain where nothing was learned.
 */
export async function readFinalLogs(rpc: Rpc, asked: FinalLogsAsked): Promise<FinalLogs> {
	const { fromBlock, finalDepth, toBlockMax = BLOCK_NUMBER_MAX, signal } = asked;
	assert(asked.addresses.length > 0 && asked.blocksMax > 0, "somebody's logs are asked for");
	const head = await rpc.call(
		{ method: "eth_blockNumber", params: [] },
		{ signal, isReadable: (result) => quantity.safeParse(result).success },
	);
	const finalBlock = quantity.parse(head) - finalDepth;
	const last = Math.min(finalBlock, toBlockMax);
	if (last < fromBlock) return { kind: "none", finalBlock };
	for (let blocks = Math.min(asked.blocksMax, last - fromBlock + 1); ; ) {
		try {
			return await readRange(rpc, asked, { to: fromBlock + blocks - 1, finalBlock });
		} catch (error) {
			const fewer = fewerBlocks(error, blocks);
			if (fewer === null) throw error;
			blocks = fewer;
		}
	}
}

async function readRange(
	rpc: Rpc,
	asked: FinalLogsAsked,
	{ to, finalBlock }: { to: number; finalBlock: number },
): Promise<FinalLogs> {
	const { addresses, fromBlock, finalDepth, after = null, signal } = asked;
	const range = { addresses: new Set(addresses), from: fromBlock, to };
	const filter = {
		address: addresses,
		fromBlock: hexQuantity(fromBlock),
		toBlock: hexQuantity(to),
	};
	// The block that makes the range final is read before the logs and again after them: one address
	// may have several nodes, of which one has left a fork that another still follows.
	const headers = [to + finalDepth, to, ...(after ? [after.block] : []), to + finalDepth];
	const logsAt = headers.length - 1;
	const calls: RpcCall[] = headers.map(headerCall);
	calls.splice(logsAt, 0, { method: "eth_getLogs", params: [filter] });
	const answers = await rpc.batch(calls, {
		...{ signal, minBlock: to + finalDepth, inOrder: true, bodyBytesMax: ANSWER_BYTES_MAX },
		isReadable: (result, index) => index !== logsAt || readLogs(result, range) !== null,
		quorum: {
			digest(result, index) {
				if (index !== logsAt) return parseHead(result)?.hash ?? "none";
				return digestOf(readLogs(result, range) ?? []);
			},
		},
	});
	const [settled, end, ...others] = answers.filter((_, index) => index !== logsAt).map(parseHead);
	const again = others.at(-1);
	if (settled?.number !== to + finalDepth || end?.number !== to) {
		throw chainFault.chainBehind({ detail: `the node has no block ${to + finalDepth} yet` });
	}
	if (again?.hash !== settled.hash) throw odd(rpc, "hash_mismatch", `block ${settled.number}`);
	if (after && others[0]?.hash !== after.hash) return { kind: "forked" };
	const logs = readLogs(answers[logsAt], range);
	assert(logs, "what cannot be read was asked for again");
	mustBeOneChain(rpc, logs, end);
	const timeMs = await readTimes(rpc, { logs, end, asked });
	return { kind: "logs", logs, to, toHash: end.hash, timeMs, finalBlock };
}

/** Returns a smaller number of blocks to try; null if fewer blocks would fail as well. */
function fewerBlocks(error: unknown, blocks: number): number | null {
	if (!(error instanceof Fault) || blocks === 1) return null;
	if (!SHRINKING.has(error.code)) return null;
	const half = Math.floor(blocks / 2);
	const allowed = error.meta?.rangeBlocksMax;
	return typeof allowed === "number" && allowed >= 1 ? Math.min(half, allowed) : half;
}

/** Throws unless the logs are of one chain, in order: one hash per block, one log per position. */
function mustBeOneChain(rpc: Rpc, logs: readonly RawLog[], end: Head): void {
	let before: RawLog | undefined;
	for (const log of logs) {
		const block = Number(log.blockNumber);
		const isSame = before !== undefined && Number(before.blockNumber) === block;
		const hash = block === end.number ? end.hash : isSame ? before?.blockHash : log.blockHash;
		if (log.blockHash !== hash) throw odd(rpc, "hash_mismatch", `block ${block}`);
		if (isSame && Number(before?.logIndex) === Number(log.logIndex)) {
			throw odd(rpc, "duplicate_log", `block ${block}`);
		}
		before = log;
	}
}

function odd(rpc: Rpc, kind: RpcInconsistency, detail: string): Fault {
	rpc.distrust(kind);
	return chainFault.chainContradicts({ detail: `${kind}: ${detail}` });
}

/** Returns the times of blocks: from the logs if the node sends them there, else from headers. */
async function readTimes(
	rpc: Rpc,
	{ logs, end, asked }: { logs: readonly RawLog[]; end: Head; asked: FinalLogsAsked },
): Promise<Map<number, number>> {
	const { isTimed = () => true, signal } = asked;
	const times = new Map([[end.number, end.timestampMs]]);
	const missing = new Map<number, Hex>();
	for (const log of logs.filter(isTimed)) {
		const block = Number(log.blockNumber);
		if (times.has(block)) continue;
		if (log.blockTimestamp !== undefined) times.set(block, Number(log.blockTimestamp) * 1_000);
		else missing.set(block, log.blockHash);
	}
	const blocks = [...missing.keys()];
	if (blocks.length === 0) return times;
	const headers = await rpc.batch(blocks.map(headerCall), { signal });
	for (const [index, block] of blocks.entries()) {
		const header = parseHead(headers[index]);
		if (!header || header.hash !== missing.get(block)) {
			throw odd(rpc, "hash_mismatch", `block ${block}`);
		}
		times.set(block, header.timestampMs);
	}
	return times;
}

function headerCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexQuantity(block), false] };
}

/** Returns a digest of the parts in which honest nodes agree; only some send times with logs. */
function digestOf(logs: readonly RawLog[]): string {
	return JSON.stringify(
		logs.map(({ blockNumber, logIndex, blockHash, transactionHash, address, topics, data }) => {
			const place = [Number(blockNumber), Number(logIndex)];
			return [...place, blockHash, transactionHash, address, topics, data];
		}),
	);
}

/** Parses logs; null unless they are of these contracts in these blocks. */
function readLogs(answer: unknown, { addresses, from, to }: Range): RawLog[] | null {
	const read = logList.safeParse(answer);
	if (!read.success) return null;
	const isWanted = ({ address, blockNumber, removed }: RawLog) =>
		addresses.has(address) &&
		Number(blockNumber) >= from &&
		Number(blockNumber) <= to &&
		removed !== true;
	if (!read.data.every(isWanted)) return null;
	return read.data.sort(
		(a, b) =>
			Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
	);
}
