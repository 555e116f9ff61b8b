import { type Address, decodeEventLog, type Hex, zeroAddress } from "viem";
import { addresses } from "../../addresses.ts";
import type { ChainLog, Item } from "./ChainBlock.ts";
import { logAbi } from "./logAbi.ts";

export type RawLog = { address: Hex; topics: Hex[]; data: Hex };

export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Returns what a log means for the market; an empty list for an irrelevant or malformed one. */
export function readLog(log: RawLog): ChainLog[] {
	const contract = lower(log.address);
	const [topic, ...rest] = log.topics;
	if (!topic) return [];
	if (topic === TRANSFER_TOPIC) {
		const [from, to, id] = rest;
		// An ERC-20 transfer has the same topic, but no third argument in the topics.
		if (!from || !to || !id) return [];
		const parties = { from: addressOf(from), to: addressOf(to) };
		return [transfer("erc721", contract, { ...parties, id: BigInt(id), units: 1n })];
	}
	try {
		return decode(contract, { topic, rest, data: log.data });
	} catch {
		return [];
	}
}

function decode(
	contract: Address,
	{ topic, rest, data }: { topic: Hex; rest: Hex[]; data: Hex },
): ChainLog[] {
	const event = decodeEventLog({ abi: logAbi, topics: [topic, ...rest], data });
	switch (event.eventName) {
		case "TransferSingle": {
			const { from, to, id, value } = event.args;
			return [transfer("erc1155", contract, { from, to, id, units: value })];
		}
		case "TransferBatch": {
			const { from, to, ids, values } = event.args;
			return ids.map((id, n) =>
				transfer("erc1155", contract, { from, to, id, units: values[n] ?? 0n }),
			);
		}
		case "MetadataUpdate":
			return [{ kind: "metadata", contract, fromId: event.args.id, toId: event.args.id }];
		case "BatchMetadataUpdate":
			return [{ kind: "metadata", contract, ...event.args }];
		default:
			return contract === lower(addresses.seaport) ? ofSeaport(event) : [];
	}
}

type SeaportEvent = Extract<
	ReturnType<typeof decodeEventLog<typeof logAbi>>,
	{ eventName: "OrderFulfilled" | "OrderCancelled" | "CounterIncremented" }
>;

function ofSeaport(event: SeaportEvent): ChainLog[] {
	switch (event.eventName) {
		case "OrderFulfilled": {
			const { orderHash, offerer, recipient, offer, consideration } = event.args;
			return [
				{
					kind: "fulfilled",
					orderHash,
					offerer: lower(offerer),
					recipient: lower(recipient),
					offer: offer.map(itemOf),
					consideration: consideration.map((item) => ({
						...itemOf(item),
						recipient: lower(item.recipient),
					})),
				},
			];
		}
		case "OrderCancelled":
			return [{ kind: "cancelled", orderHash: event.args.orderHash }];
		case "CounterIncremented":
			return [{ kind: "counter", offerer: lower(event.args.offerer) }];
	}
}

function transfer(
	standard: "erc721" | "erc1155",
	contract: Address,
	move: { from: Address; to: Address; id: bigint; units: bigint },
): ChainLog {
	const { id, units } = move;
	const parties = { from: lower(move.from), to: lower(move.to) };
	return { kind: "transfer", standard, contract, ...parties, id, units };
}

function itemOf(item: Item): Item {
	return { ...item, token: lower(item.token) };
}

function addressOf(topic: Hex): Address {
	return topic.length === 66 ? lower(`0x${topic.slice(26)}`) : zeroAddress;
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
