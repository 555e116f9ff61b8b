// Reads LayerZero's OFT contracts, and whether a message of theirs has arrived.

import {
	decodeEventLog,
	decodeFunctionResult,
	encodeEventTopics,
	encodeFunctionData,
	parseAbi,
} from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import { logSchema, type Read, readLogPages } from "#plugins/bridge/direct/readLogPages.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";

export type SendParam = {
	dstEid: number;
	to: Hex;
	amountLD: bigint;
	minAmountLD: bigint;
	extraOptions: Hex;
	composeMsg: Hex;
	oftCmd: Hex;
};

type View = "token" | "approvalRequired" | "peers" | "quoteOFT" | "quoteSend";

/** Holds the parts of a log that are compared. */
type Logged = { address: Address; topics: readonly Hex[]; data: Hex };
/** Holds what became of a message, and the newest block of the other chain that was searched. */
type Delivery = {
	word: RelayStatus;
	searchedBlock: bigint | null;
	/** True if all blocks were searched; false: the next lookup continues with newer ones. */
	isWhole: boolean;
};

/** LayerZero's OFT: what sending a token, and finding its arrival, needs of it. */
export const oftAbi = parseAbi([
	"struct SendParam { uint32 dstEid; bytes32 to; uint256 amountLD; uint256 minAmountLD; bytes extraOptions; bytes composeMsg; bytes oftCmd; }",
	"struct MessagingFee { uint256 nativeFee; uint256 lzTokenFee; }",
	"struct OFTLimit { uint256 minAmountLD; uint256 maxAmountLD; }",
	"struct OFTFeeDetail { int256 feeAmountLD; string description; }",
	"struct OFTReceipt { uint256 amountSentLD; uint256 amountReceivedLD; }",
	"function token() view returns (address)",
	"function approvalRequired() view returns (bool)",
	"function peers(uint32 eid) view returns (bytes32)",
	"function quoteOFT(SendParam sendParam) view returns (OFTLimit, OFTFeeDetail[], OFTReceipt)",
	"function quoteSend(SendParam sendParam, bool payInLzToken) view returns (MessagingFee)",
	"function send(SendParam sendParam, MessagingFee fee, address refundAddress) payable",
	"event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)",
	"event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)",
]);

/** Holds a token's OFT contract on one chain, and LayerZero's number of that chain. */
export type OftEnd = { chainId: number; eid: number; oft: Address };

/** Parses one token over all chains that its OFTs connect, as an operator configures it. */
export const directToken = z.object({
	symbol: z.string().regex(/^[A-Za-z0-9.]{1,16}$/),
	ends: z.record(
		z.string().regex(/^[1-9][0-9]{0,15}$/),
		z.object({
			eid: z
				.int()
				.min(1)
				.max(2 ** 32 - 1),
			oft: anyCaseAddressSchema,
		}),
	),
});
export type DirectToken = z.output<typeof directToken>;

const isHex = (text: string): text is Hex => /^0x[0-9a-fA-F]*$/.test(text);
const answer = z.string().max(100_000).refine(isHex);

const amount = z.bigint();
const quoteShape = z.tuple([
	z.object({ minAmountLD: amount, maxAmountLD: amount }),
	z.unknown(),
	z.object({ amountSentLD: amount, amountReceivedLD: amount }),
]);
const feeShape = z.object({ nativeFee: amount, lzTokenFee: amount });

/** Limits the blocks that are searched where the newest block at the quote is not known. */
const BLOCKS_MAX = 50_000n;
/** Counts the newest blocks that each lookup searches again: a reorg may have replaced them. */
const BLOCKS_AGAIN = 64n;
const LOGS_MAX = 2_000;
const quantity = z.string().refine(isHex).transform(BigInt);
const receiptSchema = z.object({ logs: z.array(logSchema).max(LOGS_MAX) }).nullable();

/** Returns an address as LayerZero writes it: thirty-two bytes. */
export function wordOf(address: Address): Hex {
	return `0x${address.slice(2).padStart(64, "0")}`;
}

/** Returns the end of a token on a chain; null: it has none there. */
export function oftEndOf({ ends }: DirectToken, chainId: number): OftEnd | null {
	const end = ends[String(chainId)];
	return end ? { chainId, ...end } : null;
}

/** Makes what asks an OFT. Throws where the chain does not answer, or answers nonsense. */
export function oftReader(read: Read, oft: Address, signal: AbortSignal) {
	async function ask<Name extends View>(functionName: Name, args: readonly unknown[] = []) {
		const data = encodeFunctionData({ abi: oftAbi, functionName, args } as never);
		const told = answer.parse(await read("eth_call", [{ to: oft, data }, "latest"], signal));
		return decodeFunctionResult({ abi: oftAbi, functionName, data: told } as never) as unknown;
	}
	return {
		token: async () => anyCaseAddressSchema.parse(await ask("token")),
		approvalRequired: async () => z.boolean().parse(await ask("approvalRequired")),
		peer: async (eid: number) => z.string().parse(await ask("peers", [eid])),
		async quoteOft(param: SendParam) {
			const [limit, , receipt] = quoteShape.parse(await ask("quoteOFT", [param]));
			return { ...limit, ...receipt };
		},
		quoteSend: async (param: SendParam) => feeShape.parse(await ask("quoteSend", [param, false])),
	};
}

/**
 * Returns the state of a message, proved by both chains alone: `success` with the transaction in
 * which the other contract received it, else in flight. A message that was not executed stays with
 * LayerZero until it is; it is never refunded. One lookup searches some pages of the other chain's
 * logs, from where the last one stopped.
 */
export async function deliveryOf(given: {
	here: Read;
	there: Read;
	depositHash: Hex;
	ends: { from: OftEnd; to: OftEnd };
	/** Names the other chain's newest block at the time of the quote; null where it is not known. */
	newestBlock: bigint | null;
	/** The last block that an earlier lookup searched; null: there was none. */
	searchedBlock: bigint | null;
	signal: AbortSignal;
}): Promise<Delivery> {
	const { here, there, depositHash, ends, newestBlock, searchedBlock, signal } = given;
	const receipt = receiptSchema.parse(
		await here("eth_getTransactionReceipt", [depositHash], signal),
	);
	const sent = receipt && sentBy(receipt.logs, ends.from.oft);
	const seen = {
		...({ kind: "seen", depositHashes: [depositHash] } as const),
		...{ updatedAtMs: null, failReason: null },
	};
	if (!sent) {
		return { word: { ...seen, status: "waiting", outHashes: [] }, searchedBlock, isWhole: true };
	}
	const toBlock = quantity.parse(await there("eth_blockNumber", [], signal));
	const known = searchedBlock ?? newestBlock ?? toBlock - BLOCKS_MAX;
	const fromBlock = known > BLOCKS_AGAIN ? known - BLOCKS_AGAIN : 0n;
	const { logs, readTo } = await readLogPages(there, {
		...{ address: ends.to.oft, topics: receivedTopics(sent.guid), fromBlock, toBlock, signal },
	});
	const found = logs.find(({ topics, data }) => {
		return decoded("OFTReceived", topics, data)?.guid === sent.guid;
	});
	const searched = searchedBlock !== null && readTo < searchedBlock ? searchedBlock : readTo;
	if (!found) {
		const word = { ...seen, status: "pending", outHashes: [] };
		return { word, searchedBlock: searched, isWhole: readTo >= toBlock };
	}
	const out = { hash: found.transactionHash, chainId: ends.to.chainId };
	// Should it leave the chain, it is searched for from here again.
	const word = { ...seen, status: "success", outHashes: [out] };
	return { word, searchedBlock: fromBlock, isWhole: true };
}

function receivedTopics(guid: Hex): Hex[] {
	const topics = encodeEventTopics({ abi: oftAbi, eventName: "OFTReceived", args: { guid } });
	return topics.slice(0, 2).flatMap((topic) => (typeof topic === "string" ? topic : []));
}

/** Returns what an OFT's log says that it sent: the message's id, the owner and the amount. */
export function sentBy(
	logs: readonly Logged[],
	oft: Address,
): { guid: Hex; dstEid: number; from: Address; raw: bigint } | null {
	for (const { address, topics, data } of logs) {
		if (address.toLowerCase() !== oft) continue;
		const sent = decoded("OFTSent", topics, data);
		if (!sent) continue;
		const { guid, dstEid, fromAddress, amountSentLD: raw } = sent;
		return { guid, dstEid, from: anyCaseAddressSchema.parse(fromAddress), raw };
	}
	return null;
}

function decoded<Name extends "OFTSent" | "OFTReceived">(
	eventName: Name,
	topics: readonly Hex[],
	data: Hex,
) {
	try {
		const [first, ...rest] = topics;
		if (!first) return null;
		return decodeEventLog({ abi: oftAbi, eventName, topics: [first, ...rest], data }).args;
	} catch {
		return null;
	}
}
