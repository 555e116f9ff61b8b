// Decides what the buyers in a part of a match paid.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { splitByUnit } from "#core/money.ts";
import type { Tip } from "#plugins/chain-scanner/contract.ts";
import type {
	Demand,
	MatchComponent,
	MatchedNft,
	OrderSides,
} from "#plugins/chain-scanner/venues/seaport/matchComponents.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/readLogs.ts";

/** Holds what is known of a price; the two kinds without an amount say why there is none. */
export type Price =
	| { kind: "amount"; currency: Address; total: bigint; tips?: readonly Tip[] }
	| { kind: "severalCurrencies" }
	| { kind: "barter" };

/** An NFT that changed hands, with its price but without a judgement. */
export type Trade = {
	logIndex: number;
	item: OfferedItem;
	quantity: bigint;
	seller: Address;
	/** True where `seller` is who was paid; the token's log shows who gave the NFT. */
	sellerUnproven?: boolean;
	buyer: Address;
	/** The payer, where the logs prove it; a buyer may have been given the NFT by another account. */
	payer: Address | null;
	/** The price of all `quantity` units. */
	price: Price;
};

type Input = {
	component: MatchComponent;
	/** The NFTs of this component, in log order. */
	moved: readonly MatchedNft[];
	/** Demands of the match that no order gave; only an incomplete match has any. */
	unmet: ReadonlyMap<OrderSides, readonly Demand[]>;
};

type Basis = "bid" | "listing" | "unpriced" | "barter";

const nothing: Price = { kind: "amount", currency: ZERO_ADDRESS, total: 0n };

/**
 * Returns what the buyers of a match's part paid.
 *
 * A bid's own payment is preferred over the listing's: the difference is what the matcher kept, and
 * the buyer paid that as well. A listing that asks for no money is paid by the one order that
 * brings any.
 */
export function priceComponent({ component, moved, unmet }: Input): Trade[] {
	const bartering = new Set<OrderSides>();
	for (const { giver, taker } of moved) if (taker && taker !== giver) bartering.add(taker);
	for (const side of component.orders) if (unmet.has(side)) bartering.add(side);
	const bases = new Map(moved.map((nft) => [nft, basisOf(nft, bartering)]));
	const prices = new Map<MatchedNft, Price>();

	const byTaker = Map.groupBy(moved, (nft) => nft.taker);
	for (const [taker, nfts] of byTaker) {
		if (!taker || !nfts.some((nft) => bases.get(nft) === "bid")) continue;
		const inOrder = nfts.toSorted((left, right) => left.demandRank - right.demandRank);
		const missing = unmet.get(taker) ?? [];
		// Units that are missing from the logs keep their share, or the others would look dearer.
		const quantities = [...inOrder, ...missing.map(({ left }) => ({ quantity: left }))];
		share(prices, inOrder, { price: bidPrice(component, taker), quantities });
	}
	const solePayer = component.payers.length === 1 ? component.payers[0] : undefined;
	for (const [giver, nfts] of Map.groupBy(moved, (nft) => nft.giver)) {
		if (!nfts.some((nft) => bases.get(nft) === "listing")) continue;
		const listed = listedPrice(giver);
		const price = withPayerExtras(listed, component, solePayer);
		const inOrder = nfts.filter((nft) => bases.get(nft) === "listing");
		share(prices, inOrder, {
			price,
			quantities: [...inOrder, ...nfts.filter((nft) => bases.get(nft) !== "listing")],
		});
	}
	shareResidual({ prices, component, bases, moved, solePayer });

	return moved.map((nft) => {
		const basis = bases.get(nft);
		return {
			logIndex: nft.giver.logIndex,
			item: nft.item,
			quantity: nft.quantity,
			seller: nft.giver.order.offerer,
			buyer: nft.buyer,
			payer: (basis === "bid" ? nft.taker : solePayer)?.order.offerer ?? null,
			price: basis === "barter" ? { kind: "barter" } : (prices.get(nft) ?? nothing),
		};
	});
}

/** Returns each row's share of an order's price; a price without an amount is the same for all. */
export function splitPrice(price: Price, quantities: readonly bigint[]): Price[] {
	if (price.kind !== "amount") return quantities.map(() => price);
	return splitByUnit(price.total, quantities).map((total) => ({ ...price, total }));
}

/** Adds payment items up. The native currency and its wrapped form are two currencies. */
export function sumPayments(items: readonly OfferedItem[]): Price {
	let currency: Address | null = null;
	let total = 0n;
	for (const item of items) {
		const token = currencyOf(item);
		if (currency !== null && currency !== token) return { kind: "severalCurrencies" };
		currency = token;
		total += item.amount;
	}
	return { kind: "amount", currency: currency ?? ZERO_ADDRESS, total };
}

/**
 * Returns what a listing asks for. Where the seller itself is paid in one currency alone, that is
 * the price's: what others get in another one is a tip, which anybody who fills the order may add.
 */
export function listedPrice({ order, asksPayments }: OrderSides): Price {
	const all = sumPayments(asksPayments);
	if (all.kind !== "severalCurrencies") return all;
	const proceeds = asksPayments.filter(({ recipient }) => recipient === order.offerer);
	const main = sumPayments(proceeds);
	if (proceeds.length === 0 || main.kind !== "amount") return all;
	const { currency } = main;
	const isMain = (item: OfferedItem) => currencyOf(item) === currency;
	const tips = asksPayments.filter((item) => !isMain(item));
	return {
		kind: "amount",
		currency,
		total: asksPayments.filter(isMain).reduce((sum, { amount }) => sum + amount, 0n),
		tips: tips.map((item) => ({ currency: currencyOf(item), raw: item.amount })),
	};
}

/** Returns a payment's currency. 1.1 let a native item name any token; it moved the coin. */
function currencyOf({ itemType, token }: OfferedItem): Address {
	return itemType === 0 ? ZERO_ADDRESS : token;
}

function basisOf({ giver, taker }: MatchedNft, bartering: ReadonlySet<OrderSides>): Basis {
	const other = taker === giver ? null : taker;
	if (giver.givesPayments.length > 0) return "barter";
	if (other && other.givesPayments.length > 0) {
		return other.givesNfts.length > 0 ? "barter" : "bid";
	}
	// The giver takes another account's NFT: that is its payment, in whole or in part.
	if (bartering.has(giver)) return "barter";
	if (giver.asksPayments.length > 0) return "listing";
	return other && other.givesNfts.length > 0 ? "barter" : "unpriced";
}

function share(
	prices: Map<MatchedNft, Price>,
	nfts: readonly MatchedNft[],
	split: { price: Price; quantities: readonly { quantity: bigint }[] },
): void {
	const shares = splitPrice(
		split.price,
		split.quantities.map(({ quantity }) => quantity),
	);
	for (const [index, nft] of nfts.entries()) {
		const part = shares[index];
		if (part) prices.set(nft, part);
	}
}

function bidPrice(component: MatchComponent, bid: OrderSides): Price {
	const price = sumPayments(bid.givesPayments);
	if (price.kind !== "amount") return price;
	return { ...price, total: price.total - comesBack(component, bid, price.currency) };
}

/**
 * Returns what an order offered and, provably, did not spend.
 *
 * From 1.2 on an offer's unspent rest goes to the match's recipient, in 1.1 (recipient zero) it
 * stays where it was. Only where the offerer is that recipient, and no other order in this part
 * brought the same currency, is the rest certainly its own.
 */
function comesBack(component: MatchComponent, payer: OrderSides, currency: Address): bigint {
	const { offerer, recipient } = payer.order;
	if (recipient !== offerer && recipient !== ZERO_ADDRESS) return 0n;
	const purse = component.purses.get(currency);
	const isOpen = !component.allKnown || component.openCurrencies.has(currency);
	if (isOpen || purse?.givers !== 1) return 0n;
	return purse.given - purse.asked;
}

/**
 * Adds what the buyer's own order paid beyond the one listing it pays for: its fees, and an ERC-20
 * rest that went to another account. A native rest is no price: the caller of the match brought it,
 * and by default it returns there.
 */
function withPayerExtras(
	listed: Price,
	component: MatchComponent,
	payer: OrderSides | undefined,
): Price {
	const nftOrders = component.orders.length - component.payers.length;
	if (listed.kind !== "amount" || !payer || nftOrders !== 1) return listed;
	const { offerer, recipient } = payer.order;
	const { currency } = listed;
	const brought = sumPayments(payer.givesPayments);
	if (brought.kind !== "amount" || brought.currency !== currency) return listed;
	const { fees, change } = asksOf(payer, currency);
	const spent = listed.total + fees;
	const isProven = component.allKnown && !component.openCurrencies.has(currency);
	const restIsPaid =
		currency !== ZERO_ADDRESS && recipient !== ZERO_ADDRESS && recipient !== offerer;
	const left = brought.total - change;
	return { ...listed, total: isProven && restIsPaid && left > spent ? left : spent };
}

/**
 * Returns what a paying order asks for in its own currency: fees for others, and change for itself.
 */
function asksOf(payer: OrderSides, currency: Address): { fees: bigint; change: bigint } {
	let fees = 0n;
	let change = 0n;
	for (const item of payer.asksPayments) {
		if (currencyOf(item) !== currency) continue;
		if (item.recipient === payer.order.offerer) change += item.amount;
		else fees += item.amount;
	}
	return { fees, change };
}

/**
 * Splits among NFTs given without a price what the sole payer brought and the other orders left.
 */
function shareResidual(input: {
	prices: Map<MatchedNft, Price>;
	component: MatchComponent;
	bases: ReadonlyMap<MatchedNft, Basis>;
	moved: readonly MatchedNft[];
	solePayer: OrderSides | undefined;
}): void {
	const { component, solePayer: payer } = input;
	if (!payer) return;
	const unpriced = input.moved.filter((nft) => input.bases.get(nft) === "unpriced");
	const own = unpriced.filter((nft) => nft.buyer === payer.order.offerer);
	const paidFor = own.length > 0 ? own : unpriced;
	share(input.prices, paidFor, { price: residual(component, payer), quantities: paidFor });
}

function residual(component: MatchComponent, payer: OrderSides): Price {
	const brought = sumPayments(payer.givesPayments);
	if (brought.kind !== "amount") return brought;
	const { currency, total } = brought;
	const purse = component.purses.get(currency) ?? { given: total, asked: 0n, givers: 1 };
	const { fees, change } = asksOf(payer, currency);
	const shortOfOthers = purse.asked - fees - change - (purse.given - total);
	const paidToOthers = shortOfOthers > 0n ? shortOfOthers : 0n;
	const left = total - paidToOthers - change - comesBack(component, payer, currency);
	return { ...brought, total: left > 0n ? left : 0n };
}
