// Reads transactions and receipts as nodes show them, and rebuilds their signed bytes.

import { keccak256, serializeTransaction } from "viem";
import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, isAddress, isWord } from "#core/chain/Hex.ts";
import { chainFault, hexData, readAnswer } from "#core/chain/reads/readBlocks.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { Receipt } from "#plugins/wallets/model.ts";

/**
 * Holds what a chain knows of a hash: the transaction as sent, and its receipt once it is mined.
 */
export type Sighting = {
	transaction: SeenTransaction;
	receipt: Receipt | null;
	/**
	 * The bytes as signed; null where the node shows too little of the transaction, and where it is
	 * still in the block in which it was seen before: the bytes are stored since.
	 */
	signed: Hex | null;
	headBlock: number;
};

export type SeenTransaction = {
	from: Address;
	to: Address | null;
	nonce: number;
	valueRaw: bigint;
	data: Hex;
};

const signature = { r: hexData, s: hexData };
const { chainId, gas, gasPrice, nonce, quantity, wei } = chainNumbers;
const common = { nonce, to: hexData, value: wei, input: hexData, gas };
const feeMarket = z.object({
	...common,
	...signature,
	type: z.literal("0x2"),
	chainId,
	maxFeePerGas: gasPrice,
	maxPriorityFeePerGas: gasPrice,
	accessList: z.array(z.unknown()).max(0).optional(),
	yParity: quantity.refine((value) => value <= 1n),
});

const lower = (text: string) => text.toLowerCase();
const word = z.string().transform(lower).refine(isWord);
const address = z.string().transform(lower).refine(isAddress);
/**
 * Limits the logs of a receipt: more than a block has gas for. A contract must not make its own
 * receipt unreadable.
 */
const LOGS_MAX = 100_000;

const transaction = z.object({
	hash: word,
	from: address,
	to: address.nullable(),
	nonce: chainNumbers.nonce,
	value: chainNumbers.wei,
	input: hexData,
});
const receipt = z.object({
	transactionHash: word,
	blockNumber: chainNumbers.blockNumber,
	blockHash: word,
	status: chainNumbers.succeeded,
	logs: z
		.array(z.object({ address, topics: z.array(hexData).max(4), data: hexData }))
		.max(LOGS_MAX),
});

const parseTransaction = parsedOnce(transaction);
const parseReceipt = parsedOnce(receipt);

/** Builds the calls that ask for a hash, and decodes their answers. */
export const sightingCodec = {
	/** The head last: what a node did not know before it, it did not know at that head. */
	head: { method: "eth_blockNumber", params: [] } satisfies RpcCall,

	callsFor(hash: Hex): RpcCall[] {
		return [
			{ method: "eth_getTransactionByHash", params: [hash] },
			{ method: "eth_getTransactionReceipt", params: [hash] },
		];
	},

	/**
	 * Returns whether an answer to `callsFor` or `head` can be read; the caller names the calls'
	 * hashes.
	 */
	isReadable(answer: unknown, call: RpcCall): boolean {
		const [hash] = call.params;
		switch (call.method) {
			case "eth_getTransactionByHash":
				return answer === null || parseTransaction(answer).data?.hash === hash;
			case "eth_getTransactionReceipt":
				return answer === null || parseReceipt(answer).data?.transactionHash === hash;
			default:
				return chainNumbers.blockNumber.safeParse(answer).success;
		}
	},

	readHead(answer: unknown): number {
		return readAnswer(chainNumbers.blockNumber, answer);
	},

	/**
	 * Null where the node knows nothing of the hash. One that has not come to the block where it was
	 * seen before (`minBlock`, 0 where it was not) cannot say that it is gone, and is no answer.
	 */
	read(
		{ seen, mined, headBlock }: { seen: unknown; mined: unknown; headBlock: number },
		asked: { hash: Hex; minBlock: number; knownBlock?: Hex | null },
	): Sighting | null {
		const { hash, minBlock, knownBlock } = asked;
		if ((seen === null || mined === null) && headBlock < minBlock) throw chainFault.chainBehind();
		if (seen === null) return null;
		const { nonce, value, input, from, to, ...sent } = readAnswer(
			{ safeParse: parseTransaction },
			seen,
		);
		if (sent.hash !== hash) throw chainFault.chainUnreadable({ detail: "another transaction" });
		const receipt = mined === null ? null : receiptOf(mined, hash);
		// Its bytes were kept when it was first seen there: putting them together is most of a look.
		const isKnown = receipt !== null && receipt.blockHash === knownBlock;
		return {
			transaction: { from, to, nonce, valueRaw: value, data: input },
			receipt,
			signed: isKnown ? null : readSigned(seen, hash),
			headBlock,
		};
	},
};

/**
 * Returns the signed bytes of a transaction, put together from the fields that a node shows. Null
 * where these bytes do not have its hash: its type is unknown here, or the node is wrong. Only
 * EIP-1559 transactions are put together, the type that we send.
 */
export function readSigned(seen: unknown, hash: Hex): Hex | null {
	const { data } = feeMarket.safeParse(seen);
	if (data === undefined) return null;
	const { input, yParity, r, s, value, to, ...others } = data;
	try {
		const signed = serializeTransaction(
			{
				type: "eip1559",
				chainId: others.chainId,
				nonce: others.nonce,
				gas: others.gas,
				maxFeePerGas: others.maxFeePerGas,
				maxPriorityFeePerGas: others.maxPriorityFeePerGas,
				...{ to, value, data: input },
			},
			{ r, s, yParity: Number(yParity) },
		);
		return keccak256(signed) === hash ? signed : null;
	} catch {
		// No fees, no address: what cannot be written was not signed so.
		return null;
	}
}

function receiptOf(mined: unknown, hash: Hex): Receipt {
	const { status, ...rest } = readAnswer({ safeParse: parseReceipt }, mined);
	if (rest.transactionHash !== hash)
		throw chainFault.chainUnreadable({ detail: "another receipt" });
	return { ...rest, succeeded: status };
}

/** Parses an answer once; it is needed twice, to judge it and to use it. */
function parsedOnce<Output>(schema: z.ZodType<Output>) {
	const known = new WeakMap<object, z.ZodSafeParseResult<Output>>();
	return (answer: unknown): z.ZodSafeParseResult<Output> => {
		if (typeof answer !== "object" || answer === null) return schema.safeParse(answer);
		const before = known.get(answer);
		if (before) return before;
		const parsed = schema.safeParse(answer);
		known.set(answer, parsed);
		return parsed;
	};
}
