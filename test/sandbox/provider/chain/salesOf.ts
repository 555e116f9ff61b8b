import type { Address, Hex } from "viem";
import type { ChainLog, Fulfilment, Item } from "./ChainBlock.ts";

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

const isNft = (item: Item): boolean => item.itemType === 2 || item.itemType === 3;
const isPayment = (item: Item): boolean => item.itemType === 0 || item.itemType === 1;
const keyOf = (item: Item): string => `${item.token}/${item.identifier}`;

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

function isSameGoods(a: ChainSale, b: ChainSale): boolean {
	return a.contract === b.contract && a.id === b.id;
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
