// Checks a listing, its price, its state on chain and its zone's data.

import { hexToBigInt, size, slice } from "viem";
import { isOnChain, signedZones } from "#core/chain/builtinChains.ts";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, isAddress, isWord, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { ORDERS_MAX } from "#plugins/nft-buys/limits.ts";
import type { OrderState, Wanted } from "#plugins/nft-buys/model.ts";
import { wireOrder } from "#plugins/nft-buys/seaport/encodeFilling.ts";
import { hashOrder, type OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** A condition that must be true, with the code and text of its denial. */
export type Check = readonly [holds: boolean, code: string, detail: string];

/** The signed order that every copy must equal. */
type SignedAs = { orderHash: Hex; counter: bigint; parameters: OrderParameters };

const EXCEEDED: Denial = {
	code: "price_limit_exceeded",
	detail: "The listing costs more than the price limit.",
};
const UNKNOWN: Denial = {
	code: "usd_rate_unavailable",
	detail: "The listing's currency cannot be compared with the price limit right now.",
};

/** Types of orders that need the zone's permission: 2 whole, 3 in parts. */
const RESTRICTED_FROM = 2;
const RESTRICTED_TO = 3;
/** SIP-7: version, buyer, expiry, a compact signature, and then context. */
const HEAD_BYTES = 1 + 20 + 8 + 64;

/**
 * Compares a price with a limit in base units of the chain's coin; returns the denial, or null. The
 * coin and its wrapped form are compared directly; every other currency by both rates, in integers
 * and without rounding. Without a rate the price counts as too high.
 */
export function limitDenial(given: {
	price: { currency: Address; raw: bigint };
	/** Null: the order was named, and its price is the limit. */
	limitRaw: bigint | null;
	chain: Chain;
	prices: Prices;
	nowMs: number;
}): Denial | null {
	const { price, limitRaw, chain, prices, nowMs } = given;
	if (limitRaw === null) return null;
	if (price.currency === ZERO_ADDRESS || price.currency === chain.wrappedNative) {
		return price.raw > limitRaw ? EXCEEDED : null;
	}
	const rateOf = (currency: Address) => prices.usdRate({ chainId: chain.id, currency }, nowMs);
	const asked = rateOf(price.currency);
	const coin = rateOf(ZERO_ADDRESS);
	if (!asked || !coin || asked.answer <= 0n || coin.answer <= 0n) return UNKNOWN;
	const askedUsd = price.raw * asked.answer * 10n ** places(coin);
	const limitUsd = limitRaw * coin.answer * 10n ** places(asked);
	return askedUsd > limitUsd ? EXCEEDED : null;
}

/**
 * Returns why the provider's data about a listing rules it out, before any other call; null: it
 * does not. The data is not trusted here: the signed order is checked later.
 */
export function listingDenial(listing: ProviderOrder, wanted: Wanted): Denial | null {
	const { startsAtMs, expiresAtMs } = listing;
	const other = (what: string): [string, string] => [
		"listing_mismatch",
		`The provider answered a listing of another ${what}.`,
	];
	const gone = ["listing_gone", "The listing is no longer for sale."] as const;
	const checks: Check[] = [
		[listing.side === "listing" && listing.kind === "listing", ...other("kind")],
		[isWord(listing.orderHash) && isAddress(listing.maker), ...other("form")],
		[listing.chainId === wanted.chainId, ...other("chain")],
		[listing.protocolAddress === wanted.marketplace, ...other("marketplace")],
		[listing.contract === wanted.contract, ...other("collection")],
		[listing.tokenId === wanted.tokenId, ...other("token")],
		[listing.isActive, ...gone],
		[expiresAtMs === null || expiresAtMs > wanted.nowMs, ...gone],
		[
			startsAtMs === null || startsAtMs <= wanted.nowMs,
			"listing_gone",
			"The listing has not begun.",
		],
		[!listing.isPrivate, "listing_private", "The listing is for somebody else."],
		[listing.maker !== wanted.wallet, "listing_own", "The listing is the wallet's own."],
		[
			listing.quantity >= wanted.quantity,
			"liquidity_insufficient",
			"The listing has fewer units than are wanted.",
		],
		[
			listing.currency !== null,
			"listing_unsupported",
			"The listing asks for more than one currency.",
		],
	];
	return firstDenial(checks);
}

/**
 * Returns true for the orders of a fulfilment: none, or the one that the call fills, with its
 * signature.
 */
export function areSameOrders(
	orders: readonly unknown[],
	as: SignedAs & { signature: Hex },
): boolean {
	if (orders.length > ORDERS_MAX) return false;
	return orders.every((order) => {
		const signature = wireOrder.listed.safeParse(order).data?.signature ?? as.signature;
		return isSameOrder(order, as) && signature === as.signature;
	});
}

/**
 * Returns true if a copy of the order that the provider sent beside the call is the same, member by
 * member. The copy is not used; but a provider that contradicts itself is not trusted.
 */
export function isSameOrder(written: unknown, as: SignedAs): boolean {
	const { data } = wireOrder.listed.safeParse(written);
	if (!data) return false;
	const { counter, ...parameters } = data.parameters;
	return (
		hashOrder(parameters, counter ?? as.counter) === as.orderHash &&
		(counter ?? as.counter) === as.counter &&
		parameters.totalOriginalConsiderationItems === as.parameters.totalOriginalConsiderationItems
	);
}

/**
 * Returns why the chain says that an order is over; null: it is open. The provider may learn of
 * that later than we do.
 *
 * @param signedCounter the counter that the order was signed with, by the book; null where it is
 * unknown.
 */
export function stateDenial(state: OrderState, signedCounter: bigint | null): Denial | null {
	const { totalFilled, totalSize, counter } = state;
	const gone = (why: string): [string, string] => ["listing_gone", `The listing was ${why}.`];
	return firstDenial([
		[!state.isCancelled, ...gone("cancelled")],
		[signedCounter === null || signedCounter === counter, ...gone("voided by its seller")],
		[totalSize === 0n || totalFilled < totalSize, ...gone("sold")],
	]);
}

/**
 * Returns why the data for the order's zone may not be sent; null: it may. An open order's zone is
 * not called, so its data must be empty. A restricted one's is called with our bytes, so it must be
 * a known zone, and the bytes a valid permission for this wallet; the zone itself checks the
 * signature when the call is simulated.
 */
export function zoneDenial(
	{ orderType, zone }: OrderParameters,
	given: { extraData: Hex; wallet: Address; chainId: number; nowMs: number },
): Denial | null {
	const { extraData, wallet, chainId, nowMs } = given;
	if (orderType < RESTRICTED_FROM) {
		return firstDenial([
			[extraData === "0x", "fulfilment_mismatch", "An open order has no extra data."],
		]);
	}
	const isSigned = signedZones.some((one) => one.address === zone && isOnChain(one, chainId));
	const isKnown = orderType <= RESTRICTED_TO && isSigned;
	if (!isKnown) return { code: "zone_unknown", detail: "A zone that nobody knows must agree." };
	if (size(extraData) < HEAD_BYTES) {
		return { code: "fulfilment_mismatch", detail: "The zone's permission is missing." };
	}
	const buyer = slice(extraData, 1, 21);
	const expiresAtS = hexToBigInt(slice(extraData, 21, 29));
	return firstDenial([
		[
			slice(extraData, 0, 1) === "0x00" && (buyer === wallet || buyer === ZERO_ADDRESS),
			"fulfilment_mismatch",
			"The zone's permission is for somebody else.",
		],
		[expiresAtS * 1_000n > BigInt(nowMs), "listing_gone", "The zone's permission has run out."],
	]);
}

/** Returns the denial of the first failed check; null where none failed. */
export function firstDenial(checks: readonly Check[]): Denial | null {
	const failed = checks.find(([holds]) => !holds);
	return failed ? { code: failed[1], detail: failed[2] } : null;
}

function places(rate: { decimals: number; currencyDecimals: number }): bigint {
	return BigInt(rate.decimals + rate.currencyDecimals);
}
