// Starts a node whose chain is what a case mines.

import { type Hex, keccak256, numberToHex, toHex } from "viem";

export type NodeLog = { address: Hex; topics: readonly Hex[]; data: Hex };
export type NodeTransaction = { value?: bigint; logs: readonly NodeLog[] };
type StoredLog = Record<string, unknown> & { address: Hex; topics: readonly Hex[] };
type Block = { number: number; hash: Hex; parentHash: Hex; timestampS: number; logs: StoredLog[] };

/** What was mined before the node was started. */
export type PastBlock = { atS: number; transactions: readonly NodeTransaction[] };

export type NodeOptions = {
	/** The oldest first. */
	past?: readonly PastBlock[];
	/** Whether an address has code from the first block on, even if it never emits a log. */
	isContract?: (address: string) => boolean;
	/** Contracts that answer calls; every other one returns nothing. */
	contracts?: readonly Calls[];
};

export type ChainNode = {
	url: string;
	/** A block with these transactions, now; answers their hashes. */
	mine(transactions?: readonly NodeTransaction[]): Hex[];
	head(): number;
	stop(): Promise<void>;
};

/**
 * Answers an `eth_call` for one contract with its return data. Null: the call reverts. Undefined:
 * `to` is another contract.
 */
export type Calls = (to: Hex, data: Hex) => Hex | null | undefined;

const FIRST_BLOCK = 20_000_000;
const BLOCK_S = 2;
const HISTORY = 64;
const REVERTED = { code: 3, message: "execution reverted", data: "0x" };

/**
 * Starts a node whose chain is what a case mines: for lanes that are level with their head beside
 * a provider that knows more than they saw.
 */
export function startNode(
	chainId: number,
	nowMs: () => number,
	{ past = [], isContract = () => false, contracts = [] }: NodeOptions = {},
): ChainNode {
	const blocks: Block[] = [];
	const values = new Map<Hex, { value: bigint; block: Block }>();
	const nowS = () => Math.floor(nowMs() / 1_000);
	for (const { atS, transactions } of past) add(atS, transactions);
	for (let at = 0; at < HISTORY; at++) add(nowS() - BLOCK_S * (HISTORY - at), []);

	function add(timestampS: number, transactions: readonly NodeTransaction[]): Hex[] {
		const number = FIRST_BLOCK + blocks.length;
		const hash = keccak256(toHex(`${chainId} block ${number}`));
		const parentHash = blocks.at(-1)?.hash ?? keccak256("0x");
		const block: Block = { number, hash, parentHash, timestampS, logs: [] };
		blocks.push(block);
		return transactions.map(({ value = 0n, logs }, index) => {
			const transactionHash = keccak256(toHex(`${chainId} transaction ${number} ${index}`));
			values.set(transactionHash, { value, block });
			for (const log of logs) {
				block.logs.push({
					...log,
					blockHash: hash,
					blockNumber: numberToHex(number),
					blockTimestamp: numberToHex(timestampS),
					transactionHash,
					transactionIndex: numberToHex(index),
					logIndex: numberToHex(block.logs.length),
					removed: false,
				});
			}
			return transactionHash;
		});
	}

	function answer(method: string, params: any[]): unknown {
		const [first] = params;
		switch (method) {
			case "eth_chainId":
				return numberToHex(chainId);
			case "eth_blockNumber":
				return numberToHex(blocks.at(-1)?.number ?? 0);
			case "eth_getBlockByNumber":
				return headerOf(blockOf(first), params[1]);
			case "eth_getBlockByHash":
				return headerOf(
					blocks.find(({ hash }) => hash === first),
					params[1],
				);
			case "eth_getLogs":
				return logsOf(first);
			case "eth_getTransactionByHash":
				return transactionOf(first);
			case "eth_getTransactionReceipt":
				return receiptOf(first);
			case "eth_getBlockReceipts": {
				const block = blocks.find(({ hash }) => hash === first) ?? blockOf(first);
				const hashes = new Set(block?.logs.map(({ transactionHash }) => transactionHash));
				return [...hashes].map((hash) => receiptOf(hash as Hex));
			}
			case "eth_call":
				return contractAnswer(first);
			case "eth_getCode":
				return hasCode(first, params[1]) ? "0x60" : "0x";
			case "eth_gasPrice":
				return "0x3b9aca00";
			default:
				return undefined;
		}
	}

	/** Null where the contract reverts. */
	function contractAnswer({ to, data }: { to: Hex; data: Hex }): Hex | null {
		for (const call of contracts) {
			const answer = call(to, data);
			if (answer !== undefined) return answer;
		}
		return "0x";
	}

	function blockOf(tag: string): Block | undefined {
		return tag === "latest" ? blocks.at(-1) : blocks[Number(tag) - FIRST_BLOCK];
	}

	/** A contract is there from the block of its first log on, unless it was there before. */
	function hasCode(address: string, tag: string): boolean {
		const logged = blocks.find(({ logs }) => logs.some((log) => log.address === address));
		const first = isContract(address) ? blocks[0] : logged;
		const until = tag === "latest" ? Number.POSITIVE_INFINITY : Number(tag);
		return first !== undefined && first.number <= until;
	}

	function headerOf(block: Block | undefined, isFull = false) {
		if (!block) return null;
		const { number, hash, parentHash, timestampS } = block;
		const timestamp = numberToHex(timestampS);
		const of = { number: numberToHex(number), hash, parentHash, timestamp };
		const hashes = new Set(block.logs.map(({ transactionHash }) => transactionHash as Hex));
		const transactions = isFull ? [...hashes].map(transactionOf) : [];
		return { ...of, logsBloom: bloomOf(block.logs), transactions };
	}

	function logsOf({ fromBlock, toBlock, blockHash, address, topics = [] }: any): StoredLog[] {
		const from = Number(fromBlock);
		const to = toBlock === "latest" ? Number.POSITIVE_INFINITY : Number(toBlock);
		const wanted = blocks.filter(({ number, hash }) =>
			blockHash ? hash === blockHash : number >= from && number <= to,
		);
		const addresses = address && new Set([address].flat());
		return wanted
			.flatMap(({ logs }) => logs)
			.filter((log) => !addresses || addresses.has(log.address))
			.filter((log) => log.topics.length >= topics.length)
			.filter((log) =>
				topics.every((topic: null | Hex | Hex[], at: number) => {
					return topic === null || [topic].flat().includes(log.topics[at] ?? "0x");
				}),
			);
	}

	function transactionOf(hash: Hex) {
		const known = values.get(hash);
		if (!known) return null;
		const { number, hash: blockHash } = known.block;
		return { hash, value: numberToHex(known.value), blockHash, blockNumber: numberToHex(number) };
	}

	function receiptOf(hash: Hex) {
		const known = values.get(hash);
		if (!known) return null;
		const logs = known.block.logs.filter(({ transactionHash }) => transactionHash === hash);
		const { number, hash: blockHash } = known.block;
		return {
			transactionHash: hash,
			blockHash,
			blockNumber: numberToHex(number),
			status: "0x1",
			logs,
		};
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const asked: any = await request.json();
			const one = ({ id, method, params }: any) => {
				const result = answer(method, params ?? []);
				const missing = { code: -32601, message: `${method} is not available` };
				const isReverted = method === "eth_call" && result === null;
				const error = isReverted ? REVERTED : result === undefined ? missing : null;
				return { jsonrpc: "2.0", id, ...(error ? { error } : { result }) };
			};
			return Response.json(Array.isArray(asked) ? asked.map(one) : one(asked));
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		mine: (transactions = []) => add(nowS(), transactions),
		head: () => blocks.at(-1)?.number ?? 0,
		stop: () => server.stop(true),
	};
}

/** A header's bloom filter by the Yellow Paper: three bits of each address and topic. */
function bloomOf(logs: readonly StoredLog[]): Hex {
	let bits = 0n;
	for (const part of logs.flatMap(({ address, topics }) => [address, ...topics])) {
		const hash = keccak256(part).slice(2);
		for (const at of [0, 4, 8]) {
			const bit = Number.parseInt(hash.slice(at, at + 4), 16) & 2_047;
			bits |= 1n << BigInt(bit);
		}
	}
	return numberToHex(bits, { size: 256 });
}
