// Answers a node's calls honestly, from one view of the chain.

import { numberToHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import { type RpcCall, rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Branch, SimBlock } from "#test/sim/chain/createSimChain.ts";

/** The parameter of `eth_getLogs`. */
export type LogQuery = {
	fromBlock?: Hex;
	toBlock?: Hex;
	blockHash?: Hex;
	address?: Hex | readonly Hex[];
	topics?: readonly (Hex | null | readonly Hex[])[];
};

/** A log as nodes send it. */
export type SentLog = {
	address: Hex;
	topics: readonly Hex[];
	data: Hex;
	blockNumber: Hex;
	blockHash: Hex;
	blockTimestamp: Hex;
	transactionHash: Hex;
	transactionIndex: Hex;
	logIndex: Hex;
	removed: boolean;
};

/** What one node knows at one moment. */
export type View = {
	chainId: number;
	branch: Branch;
	/** Its newest block; the branch may be longer. */
	head: number;
	/** Log queries over more blocks, and those that touch these, are refused. */
	rangeMax: number;
	refused: ReadonlySet<number>;
	/** A block that left the chain, where this node still answers for it by hash. */
	orphan(hash: Hex): SimBlock | undefined;
};

const rendered = new WeakMap<SimBlock, readonly SentLog[]>();

/** Answers as an honest node with this view. What the product never asks is refused. */
export function answerCall(view: View, { method, params }: RpcCall): unknown {
	const [first, second] = params;
	switch (method) {
		case "eth_chainId":
			return numberToHex(view.chainId);
		case "eth_blockNumber":
			return numberToHex(view.head);
		case "eth_getBlockByNumber": {
			const block = blockAt(view, first);
			return block ? headerOf(block, { full: second === true }) : null;
		}
		case "eth_getBlockByHash": {
			const block = blockOf(view, first);
			return block ? headerOf(block, { full: second === true }) : null;
		}
		case "eth_getLogs":
			return readLogs(view, first);
		case "eth_getTransactionByHash": {
			const at = placeOf(view, first);
			return at ? transactionIn(at.block, at.index) : null;
		}
		case "eth_getTransactionReceipt": {
			const at = placeOf(view, first);
			return at ? receiptIn(at.block, at.index) : null;
		}
		case "eth_getBlockReceipts": {
			const block = blockOf(view, first) ?? blockAt(view, first);
			return block ? block.transactions.map((_, index) => receiptIn(block, index)) : null;
		}
		default:
			throw rpcFault.refused({ detail: `${method} is not available` });
	}
}

export function headerOf(block: SimBlock, { full = false } = {}) {
	return {
		number: numberToHex(block.number),
		hash: block.hash,
		parentHash: block.parentHash,
		timestamp: numberToHex(block.timestampS),
		logsBloom: block.logsBloom,
		transactions: block.transactions.map((transaction, index) =>
			full ? transactionIn(block, index) : transaction.hash,
		),
	};
}

export function receiptIn(block: SimBlock, index: number) {
	const { hash, value: _, ...place } = transactionIn(block, index);
	const logs = logsOf(block).filter(({ transactionHash }) => transactionHash === hash);
	return { ...place, transactionHash: hash, status: "0x1", logs };
}

function transactionIn(block: SimBlock, index: number) {
	const transaction = block.transactions[index];
	return {
		hash: transaction?.hash,
		value: numberToHex(transaction?.value ?? 0n),
		blockHash: block.hash,
		blockNumber: numberToHex(block.number),
		transactionIndex: numberToHex(index),
	};
}

export function readLogs(view: View, given: unknown): SentLog[] {
	const query = given as LogQuery;
	if (query.blockHash !== undefined) {
		const block = blockOf(view, query.blockHash);
		if (!block) throw rpcFault.refused({ detail: "unknown block" });
		refuse(view, block.number, block.number);
		return logsOf(block).filter((log) => fitsQuery(log, query));
	}
	const from = Number(query.fromBlock);
	const to = Number(query.toBlock);
	refuse(view, from, to);
	// Beyond its head a node answers as if there were nothing.
	const known = view.branch.blocks.slice(from, Math.min(to, view.head) + 1);
	return known.flatMap((block) => logsOf(block).filter((log) => fitsQuery(log, query)));
}

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

/** A block's logs; they never change, so they are made once. */
export function logsOf(block: SimBlock): readonly SentLog[] {
	const known = rendered.get(block);
	if (known) return known;
	const logs: SentLog[] = [];
	for (const [index, transaction] of block.transactions.entries()) {
		for (const log of transaction.logs) {
			logs.push({
				address: log.address,
				topics: log.topics,
				data: log.data ?? "0x",
				blockNumber: numberToHex(block.number),
				blockHash: block.hash,
				blockTimestamp: numberToHex(block.timestampS),
				transactionHash: transaction.hash,
				transactionIndex: numberToHex(index),
				logIndex: numberToHex(logs.length),
				removed: false,
			});
		}
	}
	rendered.set(block, logs);
	return logs;
}

function blockAt({ branch, head }: View, tag: unknown): SimBlock | undefined {
	if (tag === "latest") return branch.blocks[head];
	if (tag === "earliest" || tag === "finalized" || tag === "safe") return branch.blocks[0];
	const number = Number(tag);
	return number <= head ? branch.blocks[number] : undefined;
}

function blockOf(view: View, hash: unknown): SimBlock | undefined {
	if (typeof hash !== "string") return undefined;
	const block = view.branch.blocks.findLast((one) => one.hash === hash);
	if (block) return block.number <= view.head ? block : undefined;
	return view.orphan(hash as Hex);
}

function placeOf({ branch, head }: View, hash: unknown) {
	const block = branch.homes.get(hash as Hex);
	if (!block || block.number > head) return undefined;
	return { block, index: block.transactions.findIndex((one) => one.hash === hash) };
}

function refuse({ rangeMax, refused }: View, from: number, to: number): void {
	if (to - from + 1 > rangeMax) throw rpcFault.range({ detail: "block range too large" });
	for (const block of refused) {
		if (block >= from && block <= to) throw rpcFault.range({ detail: `logs of block ${block}` });
	}
}
