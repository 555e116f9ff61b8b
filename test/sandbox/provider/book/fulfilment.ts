// Drafts, signs and fills the orders of the provider's book.

import {
	type AbiFunction,
	type Address,
	concatHex,
	type Hex,
	keccak256,
	toFunctionSignature,
	toHex,
	zeroAddress,
	zeroHash,
} from "viem";
import { sign } from "viem/accounts";
import { addresses, conduitKey } from "../../knownContracts.ts";
import {
	basicParameters,
	type ConsiderationItem,
	hashOrder,
	type OfferItem,
	type OrderParameters,
	seaportAbi,
	signingDigest,
} from "../../seaportOrder.ts";
import type { Actor } from "../../World.ts";
import type {
	BookOrder,
	Collection,
	Currency,
	Market,
	OrderKind,
	Trait,
} from "../market/Market.ts";

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

export type Filling = {
	signature: Hex;
	units: bigint;
	/**
	 * The address that gets the offered item; the zero address means the sender of the transaction.
	 */
	recipient: Address;
	/** The token for a criteria offer. */
	tokenId: bigint | null;
};

/** A call that fills an order, in the provider's form: nothing is encoded yet. */
export type Call = { function: string; to: Address; value: bigint; input: Record<string, unknown> };

export type Signatures = { of(order: BookOrder): Promise<Hex | null> };

type Name = "fulfillBasicOrder_efficient_6GL6yc" | "fulfillAdvancedOrder";

const MARKET_FEE_PERCENT = 1;

const HELD_MAX = 20_000;

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
		hash: hashOrder(parameters),
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

/**
 * Returns the Merkle root of Seaport's criteria: the leaves are the hashed ids, sorted; pairs are
 * sorted before they are hashed.
 */
export function merkleRoot(ids: readonly bigint[]): Hex {
	let level = leavesOf(ids);
	while (level.length > 1) level = parentsOf(level);
	return level[0] ?? toHex(0n, { size: 32 });
}

/**
 * Returns the call that fills an order: the cheap basic function where one whole token goes to the
 * sender, the advanced one for parts, other recipients and criteria.
 */
export function fulfilmentOf(order: BookOrder, filling: Filling): Call {
	const { parameters, units } = order;
	const value = isNative(order) ? (order.totalRaw * filling.units) / units : 0n;
	const isWhole = filling.units === units && order.remaining === units;
	const isBasic = isWhole && filling.recipient === zeroAddress && filling.tokenId === null;
	const to = lower(addresses.seaport);
	if (isBasic) {
		const basic = basicParameters({ parameters, signature: filling.signature });
		const input = { parameters: asText({ ...basic, fulfillerConduitKey: conduitKey }) };
		return { function: signatureOf("fulfillBasicOrder_efficient_6GL6yc"), to, value, input };
	}
	const { tokenId } = filling;
	const resolver = tokenId !== null && {
		orderIndex: 0n,
		// For the consideration: the offer asks for any token, this one is delivered.
		side: 1,
		index: 0n,
		identifier: tokenId,
		criteriaProof: order.traitIds.length > 0 ? merkleProof(order.traitIds, tokenId) : [],
	};
	const input = {
		advancedOrder: asText({
			parameters,
			numerator: filling.units,
			denominator: units,
			signature: filling.signature,
			extraData: "0x",
		}),
		criteriaResolvers: resolver ? [asText(resolver)] : [],
		fulfillerConduitKey: conduitKey,
		recipient: filling.recipient,
	};
	return { function: signatureOf("fulfillAdvancedOrder"), to, value, input };
}

/** Returns the Merkle proof of an id. */
export function merkleProof(ids: readonly bigint[], id: bigint): Hex[] {
	const proof: Hex[] = [];
	let level = leavesOf(ids);
	let at = level.indexOf(leafOf(id));
	if (at < 0) return [];
	while (level.length > 1) {
		const sibling = level[at ^ 1];
		if (sibling) proof.push(sibling);
		level = parentsOf(level);
		at >>= 1;
	}
	return proof;
}

/**
 * Makes the makers' signatures when an order is first shown: most orders of history never are, and
 * a signature costs a hundred times as much as the rest of an order.
 */
export function createSignatures(actors: readonly Actor[]): Signatures {
	const keys = new Map<Address, Hex>(
		actors.map((actor) => [`0x${actor.address.slice(2).toLowerCase()}`, actor.privateKey]),
	);
	const held = new Map<Hex, Hex>();
	return {
		async of(order) {
			const before = held.get(order.hash);
			if (before) return before;
			const privateKey = keys.get(order.maker);
			if (!privateKey) return null;
			const hash = signingDigest(order.parameters);
			const signature: Hex = await sign({ hash, privateKey, to: "hex" });
			const oldest = held.size >= HELD_MAX ? held.keys().next().value : undefined;
			if (oldest) held.delete(oldest);
			held.set(order.hash, signature);
			return signature;
		},
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

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
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

function leavesOf(ids: readonly bigint[]): Hex[] {
	return ids.map(leafOf).sort();
}

function leafOf(id: bigint): Hex {
	return keccak256(toHex(id, { size: 32 }));
}

function parentsOf(level: readonly Hex[]): Hex[] {
	const parents: Hex[] = [];
	for (let at = 0; at < level.length; at += 2) {
		const [one, other] = [level[at], level[at + 1]];
		if (!one) break;
		// A node without a partner moves up unchanged.
		parents.push(other ? keccak256(concatHex([one, other].sort())) : one);
	}
	return parents;
}

function isNative({ currency, kind }: BookOrder): boolean {
	return kind === "listing" && currency.address === zeroAddress;
}

/**
 * Converts values for JSON: integers of 256 bits become text; small ones (types, sides) stay
 * numbers.
 */
function asText(value: unknown): unknown {
	if (typeof value === "bigint") return String(value);
	if (Array.isArray(value)) return value.map(asText);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asText(inner)]));
}

function signatureOf(name: Name): string {
	const found = seaportAbi.find(
		(item): item is Extract<(typeof seaportAbi)[number], AbiFunction> =>
			item.type === "function" && item.name === name,
	);
	if (!found) throw new Error(`Seaport has no ${name}`);
	return toFunctionSignature(found);
}
