// Lists every false answer and event of a node and of the wallet provider.

import type { Hex } from "viem";
import {
	type AskNode,
	type FalseAnswer,
	movedBy,
	type NodeLie,
	oddNumbers,
	sharedAnswers,
} from "#test/e2e/liveness/FalseAnswer.ts";
import type { CustodyFaultOrder } from "#test/sandbox/custody/CustodyFault.ts";

type BlockOf = (ask: AskNode) => Promise<{ number: string; hash: string }>;

const COUNT = "eth_getTransactionCount";
const RECEIPT = "eth_getTransactionReceipt";
const BY_HASH = "eth_getTransactionByHash";

const OTHER_HASH = `0x${"77".repeat(32)}`;

/** What a node can say falsely about one wallet. */
const nodeAnswers: readonly FalseAnswer[] = [
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

const SEND = "^POST /v1/wallets/";
const LIST = "^GET /v1/transactions";

/** What a wallet provider can do and say falsely about one wallet. */
const providerAnswers: readonly FalseAnswer[] = [
	provider("says that it sent, and sends nothing", claims({ listed: "broadcasted" })),
	provider(
		"says that it sent, sends nothing, and says so for ever",
		claims({ listed: "broadcasted", lasting: true }),
	),
	{
		...provider(
			"says that it sent, sends nothing, and 300 blocks later no node has state of its plan",
			claims({ listed: "broadcasted", lasting: true }),
		),
		blocks: 300,
	},
	provider("sends nothing of the first alone", claims({ listed: "broadcasted", times: 1 })),
	provider(
		"refuses for want of funds, and lists a failure with a hash",
		claims({ status: 400, code: "insufficient_funds", lasting: true }),
	),
	provider(
		"refuses for want of funds, and lists no hash",
		claims({ status: 400, code: "insufficient_funds", hash: "none", lasting: true }),
	),
	provider(
		"cannot broadcast, and lists a failure with a hash",
		claims({ status: 400, code: "transaction_broadcast_failure", lasting: true }),
	),
	provider(
		"refuses the first alone, and lists a failure with a hash",
		claims({ status: 400, code: "insufficient_funds", lasting: true, times: 1 }),
	),
	provider("refuses, and has nothing", {
		path: SEND,
		kind: "status",
		when: "before",
		status: 400,
		code: "policy_violation",
	}),
	provider("answers 500, and sent", { path: SEND, kind: "status", when: "after", status: 500 }),
	provider("answers 500, and did not", { path: SEND, kind: "status", when: "before", status: 500 }),
	provider(
		"answers 500, did not, and lists a provider's error with a hash",
		claims({ status: 500, listed: "provider_error", lasting: true }),
	),
	provider(
		"says that it failed, and sent",
		claims({ status: 400, code: "transaction_broadcast_failure", sends: true }),
	),
	provider(
		"says that funds are missing, and sent",
		claims({ status: 400, code: "insufficient_funds", sends: true }),
	),
	provider(
		"names the hash of the request before",
		claims({ hash: "previous", sends: true, listed: "broadcasted" }),
	),
	provider(
		"names the hash of the request before, and sends nothing",
		claims({ hash: "previous", listed: "broadcasted" }),
	),
	provider(
		"names nobody's hash, and sent",
		claims({ hash: "nobodys", sends: true, listed: "broadcasted" }),
	),
	provider(
		"names nobody's hash, and sends nothing",
		claims({ hash: "nobodys", listed: "broadcasted", lasting: true }),
	),
	provider(
		"answers 500, sent, and lists nothing",
		{ path: LIST, kind: "empty_lookup" },
		{ path: SEND, kind: "status", when: "after", status: 500 },
	),
	provider("lists nothing", { path: LIST, kind: "empty_lookup" }),
	...[2 ** 53, 2 ** 63, 2 ** 64, -1, 1.5, "many"].flatMap((value) => [
		provider(`answers ${value} for everything, and sent`, {
			path: SEND,
			kind: "odd_values",
			value,
		}),
		provider(
			`answers 500, sent, and lists ${value} for everything`,
			{ path: LIST, kind: "odd_values", value },
			{ path: SEND, kind: "status", when: "after", status: 500 },
		),
	]),
];

/** Every false answer and event of this suite. To add one, add a row. */
export const falseAnswers: readonly FalseAnswer[] = [
	...nodeAnswers,
	...sharedAnswers,
	...providerAnswers,
	happens("the pool forgets all of a wallet's transactions", "forgets_all"),
	happens("the pool forgets the first of several", "forgets_first"),
	happens("a reorg takes out what is confirmed", "reorg"),
	{
		name: "clock: an hour ahead, for one turn",
		source: "clock",
		about: "all",
		happens: "clock_step",
	},
	...oddNumbers,
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

async function blockAt(ask: AskNode, at: string): Promise<{ number: string; hash: string }> {
	return ask("eth_getBlockByNumber", [at, false]);
}

async function inNoBlock(ask: AskNode): ReturnType<BlockOf> {
	const { number } = await blockAt(ask, "latest");
	return { number, hash: OTHER_HASH };
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

function claims(order: Partial<CustodyFaultOrder>): CustodyFaultOrder {
	return { path: SEND, kind: "claims", ...order };
}

function provider(name: string, ...faults: CustodyFaultOrder[]): FalseAnswer {
	return { name: `wallet provider: ${name}`, source: "wallet provider", about: "wallet", faults };
}

function happens(name: string, event: FalseAnswer["happens"]): FalseAnswer {
	return {
		name: `chain: ${name}`,
		source: "chain",
		about: "wallet",
		...(event && { happens: event }),
	};
}
