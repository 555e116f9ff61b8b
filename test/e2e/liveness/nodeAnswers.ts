import type { Hex } from "viem";
import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import { movedBy } from "#test/e2e/liveness/movedBy.ts";
import type { AskNode, NodeLie } from "#test/e2e/liveness/NodeLie.ts";

const COUNT = "eth_getTransactionCount";
const RECEIPT = "eth_getTransactionReceipt";
const BY_HASH = "eth_getTransactionByHash";
type BlockOf = (ask: AskNode) => Promise<{ number: string; hash: string }>;

const OTHER_HASH = `0x${"77".repeat(32)}`;

/** What a node can say falsely about one wallet. */
export const nodeAnswers: readonly FalseAnswer[] = [
	about("a nonce 7 ahead, once", { method: COUNT, times: 1, says: ahead(7) }),
	about("a nonce 7 ahead, for as long as it lies", { method: COUNT, says: ahead(7) }),
	about("a nonce 3 behind, once", { method: COUNT, times: 1, says: ahead(-3) }),
	about("a nonce 3 behind, for as long as it lies", { method: COUNT, says: ahead(-3) }),
	about("a nonce of 2^53, once", { method: COUNT, times: 1, says: () => "0x20000000000000" }),
	about("a nonce of 2^53, for as long as it lies", {
		method: COUNT,
		says: () => "0x20000000000000",
	}),
	about("a balance of nothing", { method: "eth_getBalance", says: () => "0x0" }),
	about("a balance of 2^255", { method: "eth_getBalance", says: () => power(255) }),
	about("0 gas", { method: "eth_estimateGas", says: () => "0x0" }),
	about("2^64 gas", { method: "eth_estimateGas", says: () => power(64) }),
	about("no receipt of what is mined", { method: RECEIPT, says: () => null }),
	about("no transaction of what is there", { method: BY_HASH, says: () => null }),
	about("neither transaction nor receipt", { method: BY_HASH, says: () => null }, noReceipt()),
	about("another transaction, once", { method: BY_HASH, times: 1, says: otherTransaction }),
	about("another transaction", { method: BY_HASH, says: otherTransaction }),
	about("a transaction of another nonce", {
		method: BY_HASH,
		says: (truth) => truth && { ...truth, nonce: movedBy(truth.nonce, 7) },
	}),
	about("a success for a revert, and the other way round, once", {
		method: RECEIPT,
		times: 1,
		says: (truth) => truth && { ...truth, status: truth.status === "0x1" ? "0x0" : "0x1" },
	}),
	about("a success for a revert, and the other way round", {
		method: RECEIPT,
		says: (truth) => truth && { ...truth, status: truth.status === "0x1" ? "0x0" : "0x1" },
	}),
	about("a receipt with a block's hash that is no block's", {
		method: RECEIPT,
		says: (truth) => truth && { ...truth, blockHash: OTHER_HASH },
	}),
	forgotten("in block 16", (ask) => blockAt(ask, "0x10")),
	forgotten("in block 16, until that would be final", (ask) => blockAt(ask, "0x10"), 80),
	forgotten("in the newest block", (ask) => blockAt(ask, "latest")),
	forgotten("in one block, until that would be final", inOneBlock(), 80),
	forgotten("in no block at all", inNoBlock),
	forgotten("in no block at all, until that would be final", inNoBlock, 80),
];

function about(name: string, ...lies: NodeLie[]): FalseAnswer {
	// A lie counts its calls anew each time that the node begins to lie.
	return { name: `node: ${name}`, source: "node", about: "wallet", lies: () => lies };
}

/** Makes the lie that a transaction is mined, which the node's pool drops. */
function forgotten(where: string, blockOf: BlockOf, blocks?: number): FalseAnswer {
	const lies = (): NodeLie[] => [
		{ method: BY_HASH, says: (truth, { call, signed }) => truth ?? signed(call.params[0]) },
		{
			method: RECEIPT,
			async says(truth, { call, ask }) {
				const [hash] = call.params;
				if (truth) return truth;
				const { number, hash: blockHash } = await blockOf(ask);
				return receiptOf(String(hash), { number, blockHash });
			},
		},
	];
	return {
		name: `node: a receipt ${where} of what was never mined`,
		source: "node",
		about: "wallet",
		lies,
		happens: "forgets_all",
		...(blocks !== undefined && { blocks }),
	};
}

function receiptOf(transactionHash: string, block: { number: string; blockHash: string }) {
	return {
		transactionHash,
		transactionIndex: "0x0",
		blockNumber: block.number,
		blockHash: block.blockHash,
		status: "0x1",
		logs: [],
		logsBloom: `0x${"00".repeat(256)}`,
		gasUsed: "0x5208",
		cumulativeGasUsed: "0x5208",
		effectiveGasPrice: "0x3b9aca00",
		contractAddress: null,
		type: "0x2",
	};
}

/** Always returns the same block: the newest when it is first called. */
function inOneBlock(): BlockOf {
	let first: ReturnType<BlockOf> | null = null;
	return (ask) => {
		first ??= blockAt(ask, "latest");
		return first;
	};
}

async function inNoBlock(ask: AskNode): ReturnType<BlockOf> {
	const { number } = await blockAt(ask, "latest");
	return { number, hash: OTHER_HASH };
}

async function blockAt(ask: AskNode, at: string): Promise<{ number: string; hash: string }> {
	return ask("eth_getBlockByNumber", [at, false]);
}

function noReceipt(): NodeLie {
	return { method: RECEIPT, says: () => null };
}

function otherTransaction(truth: unknown) {
	return truth && { ...truth, hash: OTHER_HASH };
}

function ahead(by: number) {
	return (truth: Hex) => movedBy(truth, by);
}

function power(exponent: number): Hex {
	return `0x${(2n ** BigInt(exponent)).toString(16)}`;
}
