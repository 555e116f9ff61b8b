// Makes a chain in memory, for faults that no real node has on demand.

import { type Hex, keccak256, numberToHex, toHex } from "viem";
import type { Head } from "#core/chain/heads/Head.ts";
import {
	type Rpc,
	type RpcCall,
	type RpcInconsistency,
	type RpcOptions,
	type RpcOutcome,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";

export type FakeLog = { address: Hex; topics: readonly Hex[]; data?: Hex };
export type FakeTransaction = { value?: bigint; logs: readonly FakeLog[] };

/** The node's faults. A field can be changed at any time; it applies from the next call on. */
export type FakeTroubles = {
	/** No call is answered. */
	down: boolean;
	/** The node is this many blocks behind the chain. */
	lagBlocks: number;
	/** Log queries over more blocks are refused as too large. */
	rangeMax: number;
	/** Log queries that include one of these blocks are refused with this code. */
	refused: { blocks: Set<number>; code: "rpc_range" | "rpc_refused" };
	/** True: the chain puts an empty bloom into every header, as some do. */
	emptyBlooms: boolean;
	/** False: the node does not offer `eth_getBlockReceipts`. */
	receipts: boolean;
	/** Called before each call is answered; the answer waits for it. */
	before: (call: RpcCall) => void | Promise<void>;
	/** Changes an answer before it is sent. */
	tamper: (call: RpcCall, answer: unknown) => unknown;
};

type Block = { number: number; hash: Hex; parentHash: Hex; timestamp: Hex; logs: SentLog[] };
type SentLog = Record<string, unknown> & { address: Hex; topics: readonly Hex[] };
type Transaction = { hash: Hex; value: Hex; blockHash: Hex; blockNumber: Hex };

export type FakeChain = ReturnType<typeof createFakeChain>;

/**
 * Makes a chain in memory behind core's RPC interface, for faults that no real node has on demand:
 * it can be down, lag, refuse, or contradict itself. Calls of a batch are answered one after the
 * other.
 *
 * @example
 * const chain = createFakeChain();
 * chain.mine([{ value: 10n, logs: [mintLog] }]);
 * chain.troubles.down = true;
 */
export function createFakeChain({ timestamps = true, blooms = false } = {}) {
	const blocks: Block[] = [];
	const transactions = new Map<Hex, Transaction>();
	const calls: RpcCall[] = [];
	const distrusted: RpcInconsistency[] = [];
	/** Counts forks: the same number on another branch is another block. */
	let branch = 0;
	const troubles: FakeTroubles = {
		down: false,
		lagBlocks: 0,
		rangeMax: Number.POSITIVE_INFINITY,
		refused: { blocks: new Set(), code: "rpc_range" },
		emptyBlooms: false,
		receipts: true,
		before: () => {},
		tamper: (_, answer) => answer,
	};
	mine();

	/** Adds a block with these transactions; returns its number. */
	function mine(mined: readonly FakeTransaction[] = []): number {
		const number = blocks.length;
		const hash = keccak256(toHex(`block ${number} of ${branch}`));
		const timestamp = numberToHex(1_700_000_000 + number * 12);
		const block: Block = { number, hash, parentHash: parentOf(number), timestamp, logs: [] };
		for (const [index, { value = 0n, logs }] of mined.entries()) {
			const transactionHash = keccak256(toHex(`transaction ${number} ${index} of ${branch}`));
			const place = { blockHash: hash, blockNumber: numberToHex(number) };
			transactions.set(transactionHash, {
				hash: transactionHash,
				value: numberToHex(value),
				...place,
			});
			for (const log of logs) {
				block.logs.push({
					data: "0x",
					...log,
					...place,
					transactionHash,
					transactionIndex: numberToHex(index),
					logIndex: numberToHex(block.logs.length),
					...(timestamps && { blockTimestamp: timestamp }),
				});
			}
		}
		blocks.push(block);
		return number;
	}

	/**
	 * Removes the newest blocks; the next mined ones form another branch. Returns a function that
	 * restores the removed ones.
	 */
	function drop(depth: number): () => void {
		const from = blocks.length - depth;
		const dropped = blocks.splice(from);
		branch++;
		return () => {
			blocks.splice(from, blocks.length, ...dropped);
			branch++;
		};
	}

	/** Returns a real bloom, computed from the block's logs, if blooms are on. */
	function bloomAt({ logs }: Block): Hex | null {
		if (!blooms) return null;
		return troubles.emptyBlooms ? `0x${"0".repeat(512)}` : bloomOf(logs);
	}

	/** Returns a block as nodes send it: with its transactions, or with their hashes only. */
	function headerOf(block: Block | undefined, isFull: unknown = false) {
		if (!block) return null;
		const { logs: _, number, ...header } = block;
		const logsBloom = bloomAt(block);
		const sent = [...transactions.values()].filter(({ blockHash }) => blockHash === block.hash);
		return {
			...header,
			number: numberToHex(number),
			...(logsBloom && { logsBloom }),
			transactions: isFull === true ? sent : sent.map(({ hash }) => hash),
		};
	}

	function receiptsOf(block: Block | undefined) {
		if (!block) return null;
		const byTransaction = Map.groupBy(block.logs, ({ transactionHash }) => transactionHash);
		return [...byTransaction].map(([transactionHash, logs]) => ({ transactionHash, logs }));
	}

	function receiptOf(transactionHash: Hex, known: readonly Block[]) {
		const sent = transactions.get(transactionHash);
		const block = known.find(({ hash }) => hash === sent?.blockHash);
		if (!block) return null;
		const logs = block.logs.filter((log) => log["transactionHash"] === transactionHash);
		return { transactionHash, blockHash: block.hash, logs };
	}

	function headOf(number: number): Head {
		const block = blocks[number];
		if (!block) throw new Error(`no block ${number}`);
		const { hash, parentHash, timestamp } = block;
		return {
			number,
			hash,
			parentHash,
			timestampMs: Number(timestamp) * 1_000,
			logsBloom: bloomAt(block),
		};
	}

	function parentOf(number: number): Hex {
		return blocks[number - 1]?.hash ?? `0x${"0".repeat(64)}`;
	}

	async function answer(call: RpcCall, signal: AbortSignal | undefined): Promise<unknown> {
		calls.push(call);
		await endsWith(Promise.resolve(troubles.before(call)), signal);
		if (troubles.down || signal?.aborted) throw rpcFault.transport({ detail: "nobody answers" });
		return structuredClone(troubles.tamper(call, read(call)));
	}

	function read({ method, params }: RpcCall): unknown {
		const known = blocks.slice(0, blocks.length - troubles.lagBlocks);
		const [first, second] = params;
		if (method === "eth_getBlockByNumber") {
			return headerOf(first === "latest" ? known.at(-1) : known[Number(first)], second);
		}
		if (method === "eth_getBlockByHash") {
			const block = known.find(({ hash }) => hash === first);
			return headerOf(block, second);
		}
		if (method === "eth_getTransactionByHash") return transactions.get(first as Hex) ?? null;
		if (method === "eth_getBlockReceipts" && troubles.receipts) {
			return receiptsOf(known.find(({ hash }) => hash === first));
		}
		if (method === "eth_getTransactionReceipt") return receiptOf(first as Hex, known);
		if (method === "eth_getLogs") return readLogs(first as LogQuery, known);
		throw rpcFault.refused({ detail: `${method} is not available` });
	}

	function readLogs(query: LogQuery, known: readonly Block[]): SentLog[] {
		if (query.blockHash !== undefined) {
			const block = known.find(({ hash }) => hash === query.blockHash);
			if (!block) throw rpcFault.refused({ detail: "unknown block" });
			return readLogs({ ...query, ...spanOf(block.number), blockHash: undefined }, known);
		}
		const from = Number(query.fromBlock);
		const to = Number(query.toBlock);
		if (to - from + 1 > troubles.rangeMax)
			throw rpcFault.range({ detail: "block range too large" });
		for (const block of troubles.refused.blocks) {
			if (block < from || block > to) continue;
			const detail = `the logs of block ${block}`;
			throw troubles.refused.code === "rpc_range"
				? rpcFault.range({ detail })
				: rpcFault.refused({ detail });
		}
		return known.slice(from, to + 1).flatMap(({ logs }) => logs.filter((log) => fits(log, query)));
	}

	const rpc: Rpc = {
		call: (call, options) => answer(call, options?.signal),
		async batch(batched, options: RpcOptions = {}) {
			const answers: unknown[] = [];
			for (const call of batched) answers.push(await answer(call, options.signal));
			return answers;
		},
		async settle(batched, options: RpcOptions = {}) {
			const outcomes: RpcOutcome[] = [];
			for (const call of batched) {
				const asked = answer(call, options.signal);
				const outcome = asked.then((result): RpcOutcome => ({ kind: "result", result }));
				outcomes.push(
					await outcome.catch((fault): RpcOutcome => {
						if (fault instanceof Fault && fault.code !== "rpc_transport") {
							return { kind: "fault", fault };
						}
						throw fault;
					}),
				);
			}
			return outcomes;
		},
		distrust: (kind) => void distrusted.push(kind),
		stats: () => ({ requests: calls.length, calls: calls.length, bytes: 0 }),
	};

	return {
		rpc,
		troubles,
		calls,
		/** The inconsistencies that were reported. */
		distrusted,
		mine,
		/** Mines empty blocks up to this number. */
		mineTo(number: number) {
			while (blocks.length <= number) mine();
		},
		drop,
		head: () => blocks.length - 1,
		headOf,
		hashOf: (number: number): Hex => blocks[number]?.hash ?? "0x",
		/** Returns the ranges of log queries so far, as `from..to`. */
		asked: () =>
			calls
				.filter(({ method }) => method === "eth_getLogs")
				.map(({ params: [query] }) => query as LogQuery)
				.map(({ blockHash, fromBlock, toBlock }) => {
					const at = blocks.find(({ hash }) => hash === blockHash)?.number;
					return `${at ?? Number(fromBlock)}..${at ?? Number(toBlock)}`;
				}),
	};
}

type LogQuery = {
	fromBlock: Hex;
	toBlock: Hex;
	blockHash?: Hex | undefined;
	address?: readonly Hex[];
	topics: readonly (Hex | null | readonly Hex[])[];
};

function spanOf(block: number) {
	return { fromBlock: numberToHex(block), toBlock: numberToHex(block) };
}

/** Matches a filter as geth does: with more positions than the log has topics it does not match. */
function fits(log: SentLog, { address, topics }: LogQuery): boolean {
	if (address && !address.includes(log.address)) return false;
	if (log.topics.length < topics.length) return false;
	return topics.every((wanted, position) => {
		if (wanted === null) return true;
		const topic = log.topics[position] ?? "0x";
		return typeof wanted === "string" ? wanted === topic : wanted.includes(topic);
	});
}

/** Rejects a waiting call when its caller gives up, as a request over HTTP does. */
function endsWith(waited: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	if (!signal) return waited;
	return new Promise((resolve, reject) => {
		const give = () => reject(rpcFault.transport({ detail: "given up" }));
		if (signal.aborted) return give();
		signal.addEventListener("abort", give, { once: true });
		waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", give));
	});
}

/** Computes a bloom by the Yellow Paper's definition, on one bigint. */
function bloomOf(logs: readonly SentLog[]): Hex {
	let bits = 0n;
	for (const item of logs.flatMap(({ address, topics }) => [address, ...topics])) {
		const hash = keccak256(item);
		for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number(`0x${hash.slice(at, at + 4)}`) % 2048);
	}
	return `0x${bits.toString(16).padStart(512, "0")}`;
}
