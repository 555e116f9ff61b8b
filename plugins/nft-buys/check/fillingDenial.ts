// Compares a fulfilment with the request, the listing and the chain.

import { size } from "viem";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	areSameOrders,
	type Check,
	firstDenial,
	isSameOrder,
} from "#plugins/nft-buys/check/checks.ts";
import { SUFFIX_BYTES_MAX } from "#plugins/nft-buys/limits.ts";
import type { OrderState, Payment, Wanted } from "#plugins/nft-buys/model.ts";
import {
	type ConsiderationItem,
	type Filling,
	hashOrder,
	spenderOf,
} from "#plugins/nft-buys/seaport/Order.ts";
import type { ProviderFulfilment, ProviderOrder } from "#plugins/provider/contract.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

export type Filled = {
	filling: Filling;
	payment: Payment;
	fulfilment: ProviderFulfilment;
	listing: ProviderOrder;
	wanted: Wanted;
	state: OrderState;
};

type Held = readonly [holds: boolean, what: string];

/** The provider's name for this version of the marketplace. */
const PROTOCOL = "seaport1.6";
/** The year 2200: every time in the provider's book is before it. */
const TIME_MAX_S = 7_258_118_400n;

const NATIVE = 0;
const COIN = 1;

/**
 * Compares a fulfilment with the request, the listing and the chain, member by member. Returns the
 * denial; null: signing it buys exactly the wanted token from exactly that listing at its price,
 * for the wallet itself, and moves nothing else.
 */
export function fillingDenial(filled: Filled): Denial | null {
	const failed = (checks: readonly (readonly [boolean, string])[]) =>
		firstDenial(
			checks.map(([holds, what]): Check => {
				return [holds, "fulfilment_mismatch", `The fulfilment has another ${what}.`];
			}),
		);
	return failed([
		...callChecks(filled),
		...goodsChecks(filled),
		...priceChecks(filled),
		...orderChecks(filled),
	]);
}

/**
 * Adds up a price. Null where it cannot be checked completely: several currencies, a token among
 * the payments (a swap, or a private listing), an amount that changes with time, a part that does
 * not divide evenly, no payment at all.
 */
export function paymentOf(
	consideration: readonly ConsiderationItem[],
	{ numerator, denominator }: { numerator: bigint; denominator: bigint },
): Payment | null {
	const [first] = consideration;
	if (!first || (first.itemType !== NATIVE && first.itemType !== COIN)) return null;
	if ((first.itemType === NATIVE) !== (first.token === ZERO_ADDRESS)) return null;
	if (numerator <= 0n || numerator > denominator) return null;
	const isPlain = consideration.every(
		(item) =>
			item.itemType === first.itemType &&
			item.token === first.token &&
			item.identifierOrCriteria === 0n &&
			item.startAmount === item.endAmount &&
			(item.startAmount * numerator) % denominator === 0n,
	);
	if (!isPlain) return null;
	const parts = consideration.map(({ recipient, startAmount }) => {
		return { recipient, raw: (startAmount * numerator) / denominator };
	});
	const total = parts.reduce((sum, { raw }) => sum + raw, 0n);
	return total > 0n ? { currency: first.token, total, parts } : null;
}

/** Returns the checks of the call: its target, value and recipient. */
function callChecks({ fulfilment, filling, wanted, payment }: Filled): Held[] {
	const { transaction, protocol } = fulfilment;
	const { recipient, fulfillerConduitKey, resolvers } = filling;
	const isNative = payment.currency === ZERO_ADDRESS;
	return [
		[protocol === PROTOCOL, "protocol"],
		[transaction.chainId === wanted.chainId, "chain"],
		[transaction.to === wanted.marketplace, "marketplace"],
		[transaction.valueRaw === (isNative ? payment.total : 0n), "value"],
		[isSuffix(transaction.calldataSuffix ?? "0x"), "attribution"],
		[recipient === ZERO_ADDRESS || recipient === wanted.wallet, "recipient"],
		[spenderOf(fulfillerConduitKey, wanted.chainId) !== null, "conduit"],
		[resolvers === 0, "number of criteria"],
	];
}

/** Returns true for a short byte string: it follows everything that the marketplace reads. */
function isSuffix(suffix: Hex): boolean {
	return /^0x(?:[0-9a-f]{2})*$/.test(suffix) && size(suffix) <= SUFFIX_BYTES_MAX;
}

/** Returns the checks of the offer: exactly the wanted token, in exactly the wanted number. */
function goodsChecks({ filling, wanted }: Filled): Held[] {
	const { parameters, numerator, denominator } = filling;
	const [goods, ...others] = parameters.offer;
	const amount = goods?.startAmount ?? 0n;
	const isWhole = numerator === denominator;
	return [
		[others.length === 0, "number of offered tokens"],
		[goods?.itemType === 2 || goods?.itemType === 3, "kind of token"],
		[goods?.token === wanted.contract, "collection"],
		[goods?.identifierOrCriteria === wanted.tokenId, "token"],
		[goods?.startAmount === goods?.endAmount, "amount"],
		[amount * numerator === wanted.quantity * denominator, "amount"],
		[goods?.itemType !== 2 || amount === 1n, "amount"],
		// Only orders of these types may be filled in parts.
		[isWhole || parameters.orderType % 2 === 1, "part"],
	];
}

/** Returns the checks of the price: the listing's price, paid for the signer's order. */
function priceChecks({ filling, payment, listing, wanted }: Filled): Held[] {
	const { consideration, totalOriginalConsiderationItems, offerer } = filling.parameters;
	return [
		[listing.maker === offerer, "seller"],
		[offerer !== wanted.wallet, "seller"],
		// Items after the signed ones would be tips that the owner did not agree to.
		[totalOriginalConsiderationItems === BigInt(consideration.length), "number of payments"],
		[payment.currency === listing.currency, "currency"],
		[payment.total * listing.quantity === listing.totalRaw * wanted.quantity, "price"],
	];
}

/** Returns the checks of the order: it is the listing's, open now, and has enough left. */
function orderChecks({ filling, fulfilment, listing, wanted, state }: Filled): Held[] {
	const { parameters, signature } = filling;
	const { startTime, endTime } = parameters;
	const { orderHash } = listing;
	const { counter, totalFilled, totalSize } = state;
	const nowS = BigInt(Math.floor(wanted.nowMs / 1_000));
	const as = { orderHash, counter, parameters };
	const [goods] = parameters.offer;
	const left = (goods?.startAmount ?? 0n) * (totalSize - totalFilled);
	return [
		[hashOrder(parameters, counter) === orderHash, "order"],
		[isTime(listing.startsAtMs, startTime), "beginning"],
		[isTime(listing.expiresAtMs, endTime), "end"],
		[startTime <= nowS && nowS < endTime, "time"],
		[isSameOrder(listing.protocolData, as), "order than the book"],
		[areSameOrders(fulfilment.orders, { ...as, signature }), "order beside the call"],
		[totalSize === 0n || left >= wanted.quantity * totalSize, "number of units that are left"],
	];
}

/**
 * Returns whether the book's time equals the order's. An order without an end ("for ever") has no
 * time in the book, so it is only checked against the clock.
 */
function isTime(ms: number | null, seconds: bigint): boolean {
	const isPlausible = seconds > 0n && seconds < TIME_MAX_S;
	return !isPlausible || ms === Number(seconds) * 1_000;
}
