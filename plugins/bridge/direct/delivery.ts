import { decodeEventLog, encodeEventTopics } from "viem";
import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { type OftEnd, oftAbi } from "#plugins/bridge/direct/oft.ts";
import { wireAddress, wireHash } from "#plugins/bridge/relay/order.ts";
import type { RelayStatus } from "#plugins/bridge/relay/Relay.ts";

type Read = (method: string, params: readonly unknown[], signal: AbortSignal) => Promise<unknown>;
type Log = { address: Address; topics: readonly Hex[]; data: Hex };

const BLOCKS_MAX = 50_000n;
const LOGS_MAX = 2_000;
const isHex = (text: string): text is Hex => /^0x[0-9a-fA-F]*$/.test(text);
const hex = z.string().refine(isHex);
const log = z.object({
	...{ address: wireAddress, transactionHash: wireHash, topics: z.array(hex).max(4), data: hex },
});
const quantity = hex.transform(BigInt);
const receiptSchema = z.object({ logs: z.array(log).max(LOGS_MAX) }).nullable();

/** What an OFT says that it sent: the message's id, and how much of whose. */
export function sentBy(
	logs: readonly Log[],
	oft: Address,
): { guid: Hex; dstEid: number; from: Address; raw: bigint } | null {
	for (const { address, topics, data } of logs) {
		if (address.toLowerCase() !== oft) continue;
		const sent = decoded("OFTSent", topics, data);
		if (!sent) continue;
		const { guid, dstEid, fromAddress, amountSentLD: raw } = sent;
		return { guid, dstEid, from: wireAddress.parse(fromAddress), raw };
	}
	return null;
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
