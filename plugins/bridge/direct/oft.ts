// Reads LayerZero's OFT contracts, and whether a message of theirs has arrived.

import {
	decodeEventLog,
	decodeFunctionResult,
	encodeEventTopics,
	encodeFunctionData,
	parseAbi,
} from "viem";
import { z } from "zod";
import { type Address, type Hex, hexQuantity } from "#core/chain/Hex.ts";
import { anyCaseAddressSchema, anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
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

type Read = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>;
type Log = { address: Address; topics: readonly Hex[]; data: Hex };

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

/** Where a token's OFT is on one chain, and how LayerZero numbers that chain. */
export type OftEnd = { chainId: number; eid: number; oft: Address };

/** One token over all chains that its OFTs connect, as an operator names it. */
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

const BLOCKS_MAX = 50_000n;
const LOGS_MAX = 2_000;
const hex = z.string().refine(isHex);
const log = z.object({
	...{
		address: anyCaseAddressSchema,
		transactionHash: anyCaseWordSchema,
		topics: z.array(hex).max(4),
		data: hex,
	},
});
const quantity = hex.transform(BigInt);
const receiptSchema = z.object({ logs: z.array(log).max(LOGS_MAX) }).nullable();

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
 * Says what became of a message, by both chains and nobody's word: `success` with the transaction
 * in which the other contract received it, else in flight. A message that was not carried out stays
 * with LayerZero until somebody does so; nothing of it comes back.
 */
export async function deliveryOf(given: {
	here: Read;
	there: Read;
	depositHash: Hex;
	ends: { from: OftEnd; to: OftEnd };
	signal: AbortSignal;
}): Promise<RelayStatus> {
	const { here, there, depositHash, ends, signal } = given;
	const receipt = receiptSchema.parse(
		await here("eth_getTransactionReceipt", [depositHash], signal),
	);
	const sent = receipt && sentBy(receipt.logs, ends.from.oft);
	const seen = {
		...({ kind: "seen", depositHashes: [depositHash] } as const),
		...{ updatedAtMs: null, failReason: null },
	};
	if (!sent) return { ...seen, status: "waiting", outHashes: [] };
	const head = quantity.parse(await there("eth_blockNumber", [], signal));
	const from = head > BLOCKS_MAX ? head - BLOCKS_MAX : 0n;
	const args = { guid: sent.guid };
	const topics = encodeEventTopics({ abi: oftAbi, eventName: "OFTReceived", args });
	const asked = { address: ends.to.oft, topics: topics.slice(0, 2), fromBlock: hexQuantity(from) };
	const logs = z
		.array(log)
		.max(LOGS_MAX)
		.parse(await there("eth_getLogs", [{ ...asked, toBlock: "latest" }], signal));
	const found = logs.find(({ address, topics, data }) => {
		const received = decoded("OFTReceived", topics, data);
		return address === ends.to.oft && received?.guid === sent.guid;
	});
	if (!found) return { ...seen, status: "pending", outHashes: [] };
	const out = { hash: found.transactionHash, chainId: ends.to.chainId };
	return { ...seen, status: "success", outHashes: [out] };
}

/** Returns what an OFT's log says that it sent: the message's id, the owner and the amount. */
export function sentBy(
	logs: readonly Log[],
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
