import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { addresses } from "../../addresses.ts";
import { hashComponents } from "../../order/hashOrder.ts";
import type { ConsiderationItem, OfferItem, OrderParameters } from "../../order/Order.ts";
import type {
	BookOrder,
	Collection,
	Currency,
	Market,
	OrderKind,
	Trait,
} from "../market/Market.ts";
import { merkleRoot } from "./merkle.ts";

export type Terms = {
	kind: OrderKind;
	maker: Address;
	conduitKey: Hex;
	tokenId: bigint | null;
	units: bigint;
	currency: Currency;
	/** The price of one unit. */
	unitRaw: bigint;
	trait?: { trait: Trait; ids: bigint[] };
	salt: bigint;
	startS: number;
	endS: number;
};

const MARKET_FEE_PERCENT = 1;

/** Returns an order as its maker would sign it, with its hash; it is not in the book yet. */
export function draftOrder(market: Market, collection: Collection, terms: Terms): BookOrder {
	const { kind, maker, tokenId, units, currency } = terms;
	const totalRaw = terms.unitRaw * units;
	const goods = goodsOf(collection, terms);
	const fees = feesOf(collection, terms);
	const paid = fees.reduce((sum, fee) => sum + fee.startAmount, 0n);
	const isListing = kind === "listing";
	const parameters: OrderParameters = {
		offerer: maker,
		zone: zeroAddress,
		offer: isListing ? [goods] : [payment(currency, totalRaw)],
		consideration: isListing
			? [{ ...payment(currency, totalRaw - paid), recipient: maker }, ...fees]
			: [{ ...goods, recipient: maker }, ...fees],
		orderType: units > 1n ? 1 : 0,
		startTime: BigInt(terms.startS),
		endTime: BigInt(terms.endS),
		zoneHash: zeroHash,
		salt: terms.salt,
		conduitKey: terms.conduitKey,
		totalOriginalConsiderationItems: BigInt(1 + fees.length),
	};
	market.seq += 1;
	return {
		seq: market.seq,
		hash: hashComponents(parameters),
		kind,
		slug: collection.slug,
		tokenId,
		traits: terms.trait ? [terms.trait.trait] : [],
		traitIds: terms.trait?.ids ?? [],
		maker,
		parameters,
		currency,
		totalRaw,
		units,
		remaining: units,
		status: "ACTIVE",
		revision: 1,
		createdS: terms.startS,
		expiresS: terms.endS,
	};
}

function goodsOf({ facts }: Collection, { tokenId, units, trait }: Terms): OfferItem {
	const plain = facts.standard === "erc721" ? 2 : 3;
	return {
		itemType: tokenId === null ? 4 : plain,
		token: facts.address,
		// Criteria 0 is any token of the contract; otherwise the root over the allowed ids.
		identifierOrCriteria: tokenId ?? (trait ? BigInt(merkleRoot(trait.ids)) : 0n),
		startAmount: units,
		endAmount: units,
	};
}

/**
 * Returns the market's and the artist's fees. They are computed per unit: Seaport refuses a partial
 * fill whose share of any item is not a whole number.
 */
function feesOf({ facts }: Collection, terms: Terms): ConsiderationItem[] {
	const shares = [
		{ percent: MARKET_FEE_PERCENT, recipient: lower(addresses.marketFee) },
		...(facts.royalty ? [facts.royalty] : []),
	];
	return shares.map(({ percent, recipient }) => {
		const each = (terms.unitRaw * BigInt(Math.round(percent * 100))) / 10_000n;
		return { ...payment(terms.currency, each * terms.units), recipient };
	});
}

function payment(currency: Currency, amount: bigint): OfferItem {
	return {
		itemType: currency.address === zeroAddress ? 0 : 1,
		token: currency.address,
		identifierOrCriteria: 0n,
		startAmount: amount,
		endAmount: amount,
	};
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
