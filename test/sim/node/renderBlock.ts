import { numberToHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { SimBlock } from "#test/sim/chain/SimBlock.ts";

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

const rendered = new WeakMap<SimBlock, readonly SentLog[]>();

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

export function transactionIn(block: SimBlock, index: number) {
	const transaction = block.transactions[index];
	return {
		hash: transaction?.hash,
		value: numberToHex(transaction?.value ?? 0n),
		blockHash: block.hash,
		blockNumber: numberToHex(block.number),
		transactionIndex: numberToHex(index),
	};
}

export function receiptIn(block: SimBlock, index: number) {
	const { hash, value: _, ...place } = transactionIn(block, index);
	const logs = logsOf(block).filter(({ transactionHash }) => transactionHash === hash);
	return { ...place, transactionHash: hash, status: "0x1", logs };
}
