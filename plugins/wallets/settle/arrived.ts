// Measures what a transaction changed of an account's holding, by its receipt and by its block.

import { encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { readAbiUint } from "#core/chain/abi.ts";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { chainFault, hexData, readAnswer, readableBy } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Settlement } from "#plugins/wallets/IntentKind.ts";
import type { Receipt } from "#plugins/wallets/model.ts";

/**
 * Names what is counted: the chain's own coin, an ERC-20 token, or units of one id of an ERC-1155.
 */
export type Holding =
	| { kind: "coin" }
	| { kind: "token"; address: Address }
	| { kind: "units"; address: Address; id: bigint };

/** A mined transaction of ours, as far as it can say what it changed. */
export type MinedTransaction = {
	hash: Hex;
	from: Address;
	to: Address | null;
	valueRaw: bigint;
	succeeded: boolean;
	logs: Receipt["logs"];
};

export type ChangeAsked = {
	account: Address;
	holding: Holding;
	/** The wallet that sent it. */
	sender: Address;
	receipt: Receipt;
	/**
	 * Returns what one transaction says itself that it changed of the holding, gas apart; negative:
	 * less of it. It is asked of the receipt's own and of our other transactions in that block.
	 */
	toldBy(transaction: MinedTransaction): bigint;
	signal: AbortSignal;
};

export type Change = {
	/** The change by the transaction's own receipt. */
	toldRaw: bigint;
	/**
	 * The change by the balances before and after its block, without gas and without what our other
	 * transactions of that block changed. Null: no node has that state any more.
	 */
	heldRaw: bigint | null;
};

/** `doubtful`: of receipt and balances one says that enough changed, and the other does not. */
export type Arrival =
	| { kind: "arrived"; raw: bigint; moreRaw: bigint }
	| { kind: "short"; raw: bigint }
	| { kind: "doubtful"; toldRaw: bigint; heldRaw: bigint };

/** Our transactions of one block that are read beside the one that is measured. */
const OTHERS_MAX = 2_000;
/** Limits the transactions of a block: more than any block holds. */
const TRANSACTIONS_MAX = 100_000;

/** `Transfer(address,address,uint256)`, as ERC-20 has it. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD_LENGTH = 66;

const balanceAbi = parseAbi(["function balanceOf(address account) view returns (uint256)"]);
const unitsAbi = parseAbi([
	"function balanceOf(address account, uint256 id) view returns (uint256)",
]);

const blockSchema = z.object({
	hash: anyCaseWordSchema,
	transactions: z
		.array(
			z.object({
				hash: anyCaseWordSchema,
				from: anyCaseAddressSchema,
				to: anyCaseAddressSchema.nullish(),
				value: chainNumbers.wei,
			}),
		)
		.max(TRANSACTIONS_MAX),
});

const receiptSchema = z.object({
	transactionHash: anyCaseWordSchema,
	blockHash: anyCaseWordSchema,
	status: chainNumbers.succeeded,
	gasUsed: chainNumbers.gas,
	effectiveGasPrice: chainNumbers.gasPrice.optional(),
	/** The fee that a rollup takes in addition for its data. */
	l1Fee: chainNumbers.wei.nullish(),
	logs: z.array(
		z.object({ address: anyCaseAddressSchema, topics: z.array(hexData).max(4), data: hexData }),
	),
});

type BlockTransaction = z.output<typeof blockSchema>["transactions"][number];
type Read = MinedTransaction & { feeRaw: bigint };

/**
 * Measures how a transaction changed an account's holding, in two independent ways: a contract can
 * log anything, so its logs are compared with balances.
 *
 * Throws where nodes fail or show another block at that height: nothing was learned, ask again.
 */
export async function measureChange(rpc: Rpc, asked: ChangeAsked): Promise<Change> {
	const { receipt, account, sender, holding, toldBy, signal } = asked;
	const { transactions, heldRaw } = await readBlock(rpc, asked);
	const ours = transactions.filter(({ from, hash }) => {
		return from === account || from === sender || hash === receipt.transactionHash;
	});
	const own = ours.find(({ hash }) => hash === receipt.transactionHash);
	if (!own) throw chainFault.chainContradicts({ detail: "a block without its transaction" });
	const toldRaw = toldBy(minedOf(own, receipt));
	if (heldRaw === null) return { toldRaw, heldRaw };
	const isCoin = holding.kind === "coin";
	// Of a token the own receipt is known already, and gas is paid in something else.
	const read = await readTransactions(rpc, {
		transactions: isCoin ? ours : ours.filter((one) => one !== own),
		...{ receipt, signal },
	});
	const apart = read.reduce((sum, one) => {
		const feeRaw = isCoin && one.from === account ? one.feeRaw : 0n;
		return sum + feeRaw - (one.hash === own.hash ? 0n : toldBy(one));
	}, 0n);
	return { toldRaw, heldRaw: heldRaw + apart };
}

/**
 * Judges whether at least so much arrived; negative: at most so much left. The amount is the lower
 * of what the receipt and the balances show. Without balances the receipt counts. Where only one of
 * them is too low the result is unknown: a token may log too much, or nothing at all.
 */
export function judgeArrival({ toldRaw, heldRaw }: Change, wantedRaw: bigint): Arrival {
	const raw = least(toldRaw, heldRaw);
	if (heldRaw !== null && heldRaw < wantedRaw !== toldRaw < wantedRaw) {
		return { kind: "doubtful", toldRaw, heldRaw };
	}
	if (toldRaw < wantedRaw) return { kind: "short", raw };
	return { kind: "arrived", raw, moreRaw: heldRaw === null ? 0n : heldRaw - raw };
}

/** Returns what an arrival settles an intent as; null: all of it is there. */
export function settledBy(arrival: Arrival): Settlement {
	switch (arrival.kind) {
		case "arrived":
			return null;
		case "short":
			return arrival.raw > 0n
				? {
						code: "partly_received",
						detail: "Less arrived than was to arrive, by the token's logs.",
					}
				: { code: "not_received", detail: "Nothing arrived, by the token's logs." };
		default: {
			const { toldRaw, heldRaw } = arrival;
			const detail =
				`The receipt says ${toldRaw} base units, and the balances of its block show ${heldRaw}. ` +
				"It may have arrived and gone on at once: look at the recipient before paying again.";
			return { code: "arrival_doubtful", detail, isDoubtful: true };
		}
	}
}

/** Makes what a token's own `Transfer` logs say of an account, mints and burns among them. */
export function toldByLogs(token: Address, account: Address) {
	return ({ logs, succeeded }: Pick<MinedTransaction, "logs" | "succeeded">): bigint => {
		if (!succeeded) return 0n;
		return logs.reduce((sum, { address, topics, data }) => {
			const [topic, from, to] = topics;
			if (address !== token || topic !== TRANSFER || topics.length !== 3) return sum;
			if (from === undefined || to === undefined || data.length !== WORD_LENGTH) return sum;
			const raw = BigInt(data);
			return sum + (isOf(to, account) ? raw : 0n) - (isOf(from, account) ? raw : 0n);
		}, 0n);
	};
}

/** Makes what a plain payment of the coin says of an account. */
export function toldByValue(account: Address) {
	return ({ from, to, valueRaw, succeeded }: MinedTransaction): bigint => {
		if (!succeeded) return 0n;
		return (to === account ? valueRaw : 0n) - (from === account ? valueRaw : 0n);
	};
}

function least(toldRaw: bigint, heldRaw: bigint | null): bigint {
	return heldRaw !== null && heldRaw < toldRaw ? heldRaw : toldRaw;
}

function isOf(topic: Hex, account: Address): boolean {
	return topic.length === WORD_LENGTH && BigInt(topic) === BigInt(account);
}

function minedOf(
	{ hash, from, to, value }: BlockTransaction,
	{ succeeded, logs }: Pick<Receipt, "succeeded" | "logs">,
): MinedTransaction {
	return { hash, from, to: to ?? null, valueRaw: value, succeeded, logs };
}

async function readTransactions(
	rpc: Rpc,
	given: { transactions: readonly BlockTransaction[]; receipt: Receipt; signal: AbortSignal },
): Promise<Read[]> {
	const { transactions, receipt, signal } = given;
	if (transactions.length === 0) return [];
	// With more than this in one block it is unknown: a part of them would prove nothing.
	if (transactions.length > OTHERS_MAX) throw chainFault.chainUnreadable({ detail: "too many" });
	const calls = transactions.map(({ hash }) => {
		return { method: "eth_getTransactionReceipt", params: [hash] };
	});
	const answers = await rpc.batch(calls, {
		...{ signal, minBlock: receipt.blockNumber },
		isReadable: readableBy(calls.map(() => receiptSchema.nullable())),
	});
	return transactions.map((one, place) => {
		const read = readAnswer(receiptSchema, answers[place]);
		if (read.transactionHash !== one.hash || read.blockHash !== receipt.blockHash) {
			throw chainFault.chainContradicts({ detail: "a receipt of another block" });
		}
		const { status: succeeded, logs, gasUsed, effectiveGasPrice = 0n, l1Fee } = read;
		const feeRaw = gasUsed * effectiveGasPrice + (l1Fee ?? 0n);
		return { ...minedOf(one, { succeeded, logs }), feeRaw };
	});
}

/** Reads what the block holds, and by how much the balance grew over it; null: no such state. */
async function readBlock(
	rpc: Rpc,
	asked: ChangeAsked,
): Promise<{ transactions: BlockTransaction[]; heldRaw: bigint | null }> {
	const { blockNumber, blockHash } = asked.receipt;
	const calls = [
		balanceCall(asked, blockNumber - 1),
		balanceCall(asked, blockNumber),
		{ method: "eth_getBlockByNumber", params: [hexQuantity(blockNumber), true] },
	];
	const options = {
		...{ signal: asked.signal, minBlock: blockNumber },
		isReadable: readableBy([null, null, blockSchema.nullable()]),
	};
	const first = await rpc.settle(calls, options);
	const isKept = first.slice(0, 2).every((outcome) => balanceOf(outcome) !== null);
	// Another endpoint may keep the state that this one does not.
	const [before, after, shown] = isKept
		? first
		: await rpc.settle(calls, { ...options, second: true });
	if (shown?.kind !== "result") throw shown?.fault ?? chainFault.chainUnreadable();
	const { hash, transactions } = readAnswer(blockSchema, shown.result);
	if (hash !== blockHash) {
		throw chainFault.chainContradicts({ detail: "another block at the receipt's height" });
	}
	const [beforeRaw, afterRaw] = [balanceOf(before), balanceOf(after)];
	const isRead = beforeRaw !== null && afterRaw !== null;
	return { transactions, heldRaw: isRead ? afterRaw - beforeRaw : null };
}

function balanceCall({ account, holding }: ChangeAsked, block: number): RpcCall {
	const at = hexQuantity(block);
	if (holding.kind === "coin") return { method: "eth_getBalance", params: [account, at] };
	const data =
		holding.kind === "token"
			? encodeFunctionData({ abi: balanceAbi, args: [account] })
			: encodeFunctionData({ abi: unitsAbi, args: [account, holding.id] });
	return { method: "eth_call", params: [{ to: holding.address, data }, at] };
}

/**
 * Reads a balance; null where the node refuses, because it has no such state. A contract that
 * reverts, or has no code, holds nothing that can be shown: that is an answer, and it is nothing.
 */
function balanceOf(outcome: RpcOutcome | undefined): bigint | null {
	if (outcome === undefined) throw chainFault.chainUnreadable();
	if (outcome.kind === "fault") {
		const { fault } = outcome;
		if (fault.code !== "rpc_refused") throw fault;
		// By the message: nodes have no common code for a revert.
		return /revert/i.test(fault.message) ? 0n : null;
	}
	const { result } = outcome;
	if (result === "0x") return 0n;
	const word = readAbiUint(result);
	return word ?? readAnswer(chainNumbers.quantity, result);
}
