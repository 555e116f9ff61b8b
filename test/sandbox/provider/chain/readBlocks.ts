// Reads the market's events from blocks.

import {
	type Address,
	decodeEventLog,
	type Hex,
	isHex,
	parseAbi,
	toEventSelector,
	toHex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import type { Rpc } from "../../createRpc.ts";
import { addresses } from "../../knownContracts.ts";

export type Item = { itemType: number; token: Address; identifier: bigint; amount: bigint };

export type Fulfilment = {
	orderHash: Hex;
	offerer: Address;
	recipient: Address;
	offer: Item[];
	consideration: (Item & { recipient: Address })[];
};

/** A log that affects the market; addresses are in lower case. */
export type ChainLog =
	| {
			kind: "transfer";
			standard: "erc721" | "erc1155";
			contract: Address;
			from: Address;
			to: Address;
			id: bigint;
			units: bigint;
	  }
	| ({ kind: "fulfilled" } & Fulfilment)
	| { kind: "cancelled"; orderHash: Hex }
	| { kind: "counter"; offerer: Address }
	| { kind: "metadata"; contract: Address; fromId: bigint; toId: bigint };

export type ChainBlock = {
	number: number;
	hash: string;
	parentHash: string;
	timeS: number;
	transactions: { hash: Hex; logs: ChainLog[] }[];
};

export type RawLog = { address: Hex; topics: Hex[]; data: Hex };

/** One NFT sold once, however many orders that took. */
export type ChainSale = {
	contract: Address;
	id: bigint;
	units: bigint;
	seller: Address;
	buyer: Address;
	/** The price of all units, in `currency`. */
	totalRaw: bigint;
	currency: Address;
	orderHash: Hex;
	isAcceptedOffer: boolean;
};

/** Lists all events that the emulator reads. */
const logAbi = parseAbi([
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
	"event MetadataUpdate(uint256 id)",
	"event BatchMetadataUpdate(uint256 fromId, uint256 toId)",
	"struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
	"struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
	"event OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)",
	"event CounterIncremented(uint256 newCounter, address indexed offerer)",
]);

type SeaportEvent = Extract<
	ReturnType<typeof decodeEventLog<typeof logAbi>>,
	{ eventName: "OrderFulfilled" | "OrderCancelled" | "CounterIncremented" }
>;

export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const hex = z.custom<Hex>((value) => isHex(value));
const Header = z.object({ number: hex, hash: hex, parentHash: hex, timestamp: hex });
const Logs = z.array(
	z.object({
		address: hex,
		topics: z.array(hex),
		data: hex,
		blockHash: hex,
		transactionHash: hex,
		logIndex: hex,
	}),
);
const TOPICS = [
	TRANSFER_TOPIC,
	...logAbi.flatMap((item) => (item.type === "event" ? [toEventSelector(item)] : [])),
];

const isNft = (item: Item): boolean => item.itemType === 2 || item.itemType === 3;
const isPayment = (item: Item): boolean => item.itemType === 0 || item.itemType === 1;
const keyOf = (item: Item): string => `${item.token}/${item.identifier}`;

/** Reads blocks with their market logs, oldest first; the caller must bound `range`. */
export async function readBlocks(
	rpc: Rpc,
	range: { from: number; to: number },
): Promise<ChainBlock[]> {
	const filter = { fromBlock: toHex(range.from), toBlock: toHex(range.to), topics: [TOPICS] };
	const calls = Array.from({ length: range.to - range.from + 1 }, (_, n) => ({
		method: "eth_getBlockByNumber",
		params: [toHex(range.from + n), false],
	}));
	const headers = await rpc.batch(calls);
	const logs = Logs.parse(await rpc.call("eth_getLogs", [filter]));
	const byBlock = Map.groupBy(logs, (log) => log.blockHash);
	// A block that was replaced between the two answers has no logs under its old hash; the next
	// round sees that its child does not fit, and starts again.
	return headers.map((answer) => {
		const header = Header.parse(answer);
		const own = byBlock.get(header.hash) ?? [];
		own.sort((a, b) => Number(a.logIndex) - Number(b.logIndex));
		const byTx = Map.groupBy(own, (log) => log.transactionHash);
		return {
			number: Number(header.number),
			hash: header.hash,
			parentHash: header.parentHash,
			timeS: Number(header.timestamp),
			transactions: [...byTx].map(([hash, mine]) => ({ hash, logs: mine.flatMap(readLog) })),
		};
	});
}

/** Returns what a log means for the market; an empty list for an irrelevant or malformed one. */
function readLog(log: RawLog): ChainLog[] {
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

/**
 * Returns the sales of one transaction.
 *
 * Swaps, gifts (nothing paid) and payments in two currencies do not count. Where a third party
 * matched a listing with an offer, both name the same NFT: it was sold once, at the offer's price,
 * by the maker of the listing.
 */
export function salesOf(logs: readonly ChainLog[]): ChainSale[] {
	const fulfilled = logs.filter((log) => log.kind === "fulfilled");
	const taken = fulfilled.flatMap(offerSales);
	const listed = fulfilled.flatMap(listingSales);
	const matched = taken.map((sale) => {
		const listing = listed.find((other) => isSameGoods(other, sale));
		return listing ? { ...sale, seller: listing.seller, orderHash: listing.orderHash } : sale;
	});
	const rest = listed.filter((sale) => !taken.some((other) => isSameGoods(other, sale)));
	return [...matched, ...rest].filter((sale) => sale.seller !== sale.buyer);
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

function addressOf(topic: Hex): Address {
	return topic.length === 66 ? lower(`0x${topic.slice(26)}`) : zeroAddress;
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

function itemOf(item: Item): Item {
	return { ...item, token: lower(item.token) };
}

function offerSales(order: Fulfilment): ChainSale[] {
	if (order.offer.some(isNft)) return [];
	const goods = order.consideration.filter(isNft);
	const paid = order.offer.filter(isPayment);
	return split(order, { goods, paid }).map((sale) => ({
		...sale,
		seller: order.recipient,
		buyer: order.offerer,
		isAcceptedOffer: true,
	}));
}

/** Splits a bundle's price evenly; the remainder goes to the first item. */
function split(
	{ orderHash }: Fulfilment,
	{ goods, paid }: { goods: Item[]; paid: Item[] },
): Omit<ChainSale, "seller" | "buyer" | "isAcceptedOffer">[] {
	const currency = paid[0]?.token;
	if (currency === undefined || paid.some((item) => item.token !== currency)) return [];
	const total = paid.reduce((sum, item) => sum + item.amount, 0n);
	if (total === 0n) return [];
	const each = total / BigInt(goods.length || 1);
	return goods.map((item, n) => ({
		contract: item.token,
		id: item.identifier,
		units: item.amount,
		totalRaw: n === 0 ? total - each * BigInt(goods.length - 1) : each,
		currency,
		orderHash,
	}));
}

function listingSales(order: Fulfilment): ChainSale[] {
	const goods = order.offer.filter(isNft);
	const asked = order.consideration.filter(isNft);
	const paid = order.consideration.filter(isPayment);
	const offered = new Set(goods.map(keyOf));
	if (goods.length === 0 || asked.some((item) => !offered.has(keyOf(item)))) return [];
	return split(order, { goods, paid }).map((sale) => {
		// A private listing requests its own NFT back, for its buyer.
		const forBuyer = asked.find((item) => keyOf(item) === `${sale.contract}/${sale.id}`);
		const buyer = forBuyer?.recipient ?? order.recipient;
		return { ...sale, seller: order.offerer, buyer, isAcceptedOffer: false };
	});
}

function isSameGoods(a: ChainSale, b: ChainSale): boolean {
	return a.contract === b.contract && a.id === b.id;
}
