// Reads the provider's rows about orders, payments, and the data to fill a listing.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { cleanLine } from "#core/outside.ts";
import type {
	ProviderFulfilment,
	ProviderOrder,
	ProviderOrderCriteria,
	ProviderPayment,
} from "#plugins/provider/contract.ts";
import {
	CRITERIA_PER_ORDER_MAX,
	FULFILMENT_BYTES_MAX,
	FULFILMENT_ORDERS_MAX,
	ITEMS_PER_ORDER_MAX,
	RAW_BYTES_MAX,
} from "#plugins/provider/limits.ts";
import {
	type ChainNames,
	keepRaw,
	type Reading,
	readUint,
	readUnits,
	wireField,
} from "#plugins/provider/wire/rows.ts";
import { wire } from "#plugins/provider/wire/wire.ts";

/** The tokens that an offer is for. */
export type OfferCriteria = {
	contract: Address | null;
	traits: ProviderOrderCriteria[];
	/** True: not for every token of the collection, whether or not the traits could be read. */
	isPartial: boolean;
};

/** The signed content of an order, as far as a book needs it. */
export type SignedOrder = {
	maker: Address | null;
	/** The token that changes hands; null where the order does not fix it. */
	token: { contract: Address; tokenId: bigint | null } | null;
	/** True: it is for several tokens at once, and its price is for all together. */
	isBundle: boolean;
	/** Units that it was signed for. */
	units: bigint | null;
	/** The payment for all of them, in one currency; null for several currencies or none. */
	payment: { currency: Address; total: bigint } | null;
	/** True: it names the account that gets the token. */
	isPrivate: boolean;
	startsAtMs: number | null;
	expiresAtMs: number | null;
};

type Item = {
	itemType: number | null;
	token: Address | null;
	identifierOrCriteria: bigint | null;
	startAmount: bigint | null;
};

type Place = Pick<ProviderOrder, "kind" | "criteria" | "tokenId"> & { contract: Address | null };

/** Matches a Solidity function signature, with its structs written out as tuples. */
const SIGNATURE = /^[A-Za-z_]\w{0,127}\([\w(),[\] ]{0,4000}\)$/;
const SUFFIX = /^0x(?:[0-9a-fA-F]{2}){0,128}$/;

/** Seaport's kinds of items: below 2 a payment, from 2 on a token, from 4 on any matching token. */
const TOKEN_FROM = 2;
const CRITERIA_FROM = 4;

const isToken = ({ itemType }: Item) => (itemType ?? 0) >= TOKEN_FROM;
const isOpen = ({ itemType }: Item) => (itemType ?? 0) >= CRITERIA_FROM;

/**
 * Reads the data for filling an order. Money is spent by it, so nothing is repaired or left out:
 * one unreadable member, or two that contradict each other, makes it unreadable.
 */
export function readFulfilment(
	answer: unknown,
	chains: ChainNames,
): ProviderFulfilment | "unreadable" {
	const top = wire.fulfilment.safeParse(answer).data;
	const data = wire.fulfilmentData.safeParse(top?.fulfillment_data).data;
	const sent = wire.transaction.safeParse(data?.transaction).data;
	if (!top?.protocol || !sent?.to || !sent.input_data) return "unreadable";
	const chainId = readChain(sent.chain, chains);
	const valueRaw = readValue(sent.value, sent.value_hex);
	const suffix = readSuffix(sent.calldata_suffix);
	const inputData = keep(sent.input_data);
	const orders = (data?.orders ?? []).map((order) => keep(wireField.record.parse(order)));
	const kept = orders.filter((order) => order !== null);
	if (typeof sent.function !== "string" || !SIGNATURE.test(sent.function)) return "unreadable";
	if (chainId === null || valueRaw === null || suffix === "unreadable" || !inputData) {
		return "unreadable";
	}
	if (kept.length !== orders.length || kept.length > FULFILMENT_ORDERS_MAX) return "unreadable";
	const { function: signature, to } = sent;
	return {
		protocol: top.protocol,
		transaction: { function: signature, chainId, to, valueRaw, inputData, calldataSuffix: suffix },
		orders: kept,
	};
}

/** Reads a listing or an offer; `side` is left out where the answer may be either. */
export function readOrder(
	row: unknown,
	{ chains, side: asked }: { chains: ChainNames; side?: ProviderOrder["side"] },
): Reading<ProviderOrder> {
	const { data } = wire.offer.safeParse(row);
	if (!data) return "unreadable";
	const chainId = chains.idOf(data.chain);
	if (chainId === null) return data.chain === null ? "unreadable" : "elsewhere";
	// A listing has its price under `current`, an offer has it directly.
	const { current } = wire.listingPrice.safeParse(data.price).data ?? {};
	const side = asked ?? (current ? "listing" : "offer");
	const price = wire.price.safeParse(current ?? data.price).data;
	const signed = readSignedOrder(data.protocol_data, side);
	const quantity = readUnits(data.remaining_quantity);
	const { order_hash: orderHash } = data;
	if (!orderHash || !signed?.maker || quantity === null) return "unreadable";
	if (!price || price.value === null || price.decimals === null || price.currency === null) {
		return "unreadable";
	}
	const isActive = data.status === null || data.status.toUpperCase() === "ACTIVE";
	const { units, payment } = signed;
	const signedTotal = payment?.total ?? null;
	return {
		side,
		orderHash,
		chainId,
		protocolAddress: data.protocol_address,
		maker: signed.maker,
		...placeOf({ side, asset: data.asset, criteria: readCriteria(data.criteria), signed }),
		quantity,
		totalRaw: orderTotal(price.value, { units, remaining: quantity, signedTotal }),
		currency: payment?.currency ?? null,
		decimals: price.decimals,
		symbol: price.currency,
		isActive: isActive && quantity > 0n,
		isPrivate: signed.isPrivate,
		startsAtMs: signed.startsAtMs,
		expiresAtMs: signed.expiresAtMs,
		protocolData: data.protocol_data
			? keepRaw(data.protocol_data, { bytesMax: RAW_BYTES_MAX, mayShorten: false })
			: null,
	};
}

/**
 * Returns what `remaining` units of an order cost together, where it was signed for `units` at
 * `signedTotal` and the provider says `value`.
 *
 * For an order of one unit that is the value. For more units the provider's document does not say
 * what the value is for (the whole order, its remaining units, one unit), and a floor ten times too
 * high is a wrong figure: so the meaning nearest to the signed price is taken.
 */
export function orderTotal(
	value: bigint,
	order: { units: bigint | null; remaining: bigint; signedTotal: bigint | null },
): bigint {
	const { units, remaining, signedTotal } = order;
	if (!units || units <= 1n || !signedTotal) return value;
	const expected = (signedTotal * remaining) / units;
	const readings = [value, (value * remaining) / units, value * remaining];
	const distance = (reading: bigint) =>
		reading > expected ? reading - expected : expected - reading;
	return readings.reduce((best, reading) => (distance(reading) < distance(best) ? reading : best));
}

/** Reads an offer's criteria; null for an offer on one token, which has none. */
export function readCriteria(row: unknown): OfferCriteria | null {
	const { data } = wire.criteria.safeParse(row);
	if (!data) return null;
	const traits = (data.traits ?? []).slice(0, CRITERIA_PER_ORDER_MAX);
	const ranges = (data.numeric_traits ?? []).slice(0, CRITERIA_PER_ORDER_MAX);
	const tokens = data.encoded_token_ids;
	const isOfTokens = typeof tokens === "string" && tokens !== "" && tokens !== "*";
	return {
		contract: wire.criteriaContract.safeParse(data.contract).data?.address ?? null,
		traits: [...traits.flatMap(readTrait), ...ranges.flatMap(readRange)],
		isPartial: traits.length > 0 || ranges.length > 0 || isOfTokens,
	};
}

/** Reads `protocol_data`; null where the provider withholds it or it is no signed order. */
export function readSignedOrder(
	protocolData: unknown,
	side: "listing" | "offer",
): SignedOrder | null {
	const { parameters } = wire.protocolData.safeParse(protocolData).data ?? {};
	const { data } = wire.parameters.safeParse(parameters);
	if (!data) return null;
	const offered = readItems(data.offer);
	const wanted = readItems(data.consideration);
	const tokens = (side === "listing" ? offered : wanted).filter(isToken);
	const token = tokens[0];
	return {
		maker: data.offerer,
		token: token?.token
			? { contract: token.token, tokenId: isOpen(token) ? null : token.identifierOrCriteria }
			: null,
		isBundle: tokens.length > 1,
		units: token?.startAmount ?? null,
		payment: sumPayments((side === "listing" ? wanted : offered).filter((item) => !isToken(item))),
		isPrivate: side === "listing" && wanted.some(isToken),
		startsAtMs: data.startTime,
		expiresAtMs: data.endTime,
	};
}

/** Reads a payment; null where there was none, or its amount is not stated. */
export function readPayment(row: unknown): ProviderPayment | null {
	const { data } = wire.payment.safeParse(row);
	if (!data || data.quantity === null) return null;
	return {
		totalRaw: data.quantity,
		currency: data.token_address,
		decimals: data.decimals,
		symbol: data.symbol,
	};
}

/** Reads a chain: a number in the document; a name is accepted too. */
function readChain(value: unknown, chains: ChainNames): number | null {
	if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? value : null;
	return typeof value === "string" ? chains.idOf(value) : null;
}

/** Reads a value that is stated once or twice: in decimal (once as a JSON number) and in hex. */
function readValue(decimal: unknown, hex: unknown): bigint | null {
	const said = [decimal, hex].filter((value) => value !== undefined && value !== null);
	const [first, second] = said.map(readUint);
	if (first === undefined || first === null) return null;
	return said.length === 1 || second === first ? first : null;
}

function readSuffix(value: unknown): Hex | null | "unreadable" {
	if (value === undefined || value === null || value === "") return null;
	if (typeof value !== "string" || !SUFFIX.test(value)) return "unreadable";
	return `0x${value.slice(2).toLowerCase()}`;
}

function keep(record: Readonly<Record<string, unknown>> | null) {
	return record && keepRaw(record, { bytesMax: FULFILMENT_BYTES_MAX, mayShorten: false });
}

/** Returns which tokens an order is about. */
function placeOf(order: {
	side: ProviderOrder["side"];
	asset: unknown;
	criteria: OfferCriteria | null;
	signed: SignedOrder;
}): Place {
	const { side, criteria, signed } = order;
	const asset = wire.orderAsset.safeParse(order.asset).data;
	const contract = asset?.contract ?? criteria?.contract ?? signed.token?.contract ?? null;
	const tokenId = asset?.identifier ?? signed.token?.tokenId ?? null;
	// A bundle is for sale at one price, which is not the price of any of its tokens.
	if (side === "listing") {
		return { kind: "listing", contract, tokenId: signed.isBundle ? null : tokenId, criteria: [] };
	}
	const isOpen = criteria?.isPartial || signed.token?.tokenId === null || tokenId === null;
	if (!isOpen) return { kind: "item_offer", contract, tokenId, criteria: [] };
	return {
		kind: criteria?.isPartial ? "trait_offer" : "collection_offer",
		contract,
		tokenId: null,
		criteria: criteria?.traits ?? [],
	};
}

function readTrait(row: unknown): ProviderOrderCriteria[] {
	const { data } = wire.criteriaTrait.safeParse(row);
	const value = textOf(data?.value);
	return data?.type && value !== null ? [{ type: data.type, value }] : [];
}

function textOf(value: unknown): string | null {
	const isPlain = typeof value === "string" || typeof value === "number";
	return isPlain ? cleanLine(String(value), { lengthMax: 256 }) : null;
}

/** Reads a range of numbers, as `3–7`, `3–` or `–7`. */
function readRange(row: unknown): ProviderOrderCriteria[] {
	const { data } = wire.criteriaRange.safeParse(row);
	const [min, max] = [textOf(data?.min), textOf(data?.max)];
	if (!data?.type || (min === null && max === null)) return [];
	return [{ type: data.type, value: `${min ?? ""}–${max ?? ""}` }];
}

function readItems(rows: readonly unknown[] | null): Item[] {
	return (rows ?? []).slice(0, ITEMS_PER_ORDER_MAX).flatMap((row) => {
		const { data } = wire.item.safeParse(row);
		return data && data.itemType !== null ? [data] : [];
	});
}

function sumPayments(items: Item[]): SignedOrder["payment"] {
	const currencies = new Set(items.map(({ token }) => token));
	const currency = items[0]?.token;
	if (!currency || currencies.size !== 1) return null;
	return { currency, total: items.reduce((sum, item) => sum + (item.startAmount ?? 0n), 0n) };
}
