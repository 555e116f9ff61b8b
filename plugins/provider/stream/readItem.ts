// Reads the content of stream events: tokens, sales, transfers, new orders.

import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type {
	ProviderEvent,
	ProviderNft,
	ProviderOrder,
	ProviderOrderCriteria,
} from "#plugins/provider/contract.ts";
import {
	CLOCK_AHEAD_MAX_MS,
	CRITERIA_PER_ORDER_MAX,
	RAW_BYTES_MAX,
	TRAITS_PER_TOKEN_MAX,
} from "#plugins/provider/limits.ts";
import type { Happening, KnownOrder, Place } from "#plugins/provider/stream/model.ts";
import { readTrait } from "#plugins/provider/wire/collections.ts";
import { orderTotal, readSignedOrder } from "#plugins/provider/wire/orders.ts";
import { keepRaw, readUnits, wireField } from "#plugins/provider/wire/rows.ts";

export type Parties = { seller: Address; buyer: Address };

export type OrderKind = ProviderOrder["kind"];

type Row = Pick<
	ReturnType<typeof streamWire.order.parse>,
	"taker" | "asset_contract_criteria" | "trait_criteria" | "trait_criteria_list"
>;

const { name, prose, symbol, media, address, hash, uint, timeMs } = wireField;
const { boolean, decimals, record, list, any } = wireField;

/**
 * The members of the stream's frames that we read. As for HTTP answers no member refuses: the
 * reader of an event decides which ones it requires.
 */
export const streamWire = {
	/** The envelope of every event, inside the frame. */
	envelope: z.object({ event_type: name, sent_at: timeMs, payload: record }),
	place: z.object({ chain: any, event_timestamp: timeMs, item: record }),
	item: z.object({ nft_id: any, chain: any, metadata: record }),
	metadata: z.object({
		name,
		description: prose,
		image_url: media,
		animation_url: media,
		metadata_url: media,
		traits: list,
	}),
	named: z.object({ name }),
	account: z.object({ address }),
	paymentToken: z.object({ address, decimals, symbol }),
	order: z.object({
		order_hash: hash,
		maker: any,
		taker: any,
		quantity: any,
		base_price: uint,
		payment_token: record,
		listing_type: name,
		listing_date: timeMs,
		created_date: timeMs,
		expiration_date: timeMs,
		is_private: boolean,
		protocol_address: address,
		protocol_data: record,
		asset_contract_criteria: record,
		trait_criteria: any,
		trait_criteria_list: list,
	}),
	traitCriteria: z.object({ trait_type: name, trait_name: name }),
	sale: z.object({
		order_hash: hash,
		maker: any,
		taker: any,
		quantity: any,
		sale_price: uint,
		payment_token: record,
		closing_date: timeMs,
		transaction: record,
	}),
	transfer: z.object({ from_account: any, to_account: any, quantity: any, transaction: record }),
	transaction: z.object({ hash, timestamp: timeMs }),
	orderHash: z.object({ order_hash: hash }),
};

/** Reads the event's token, as far as the event describes it; null where it is about none. */
export function readItem({ chainId, token, metadata }: Place, slug: string): ProviderNft | null {
	if (!token) return null;
	const described = streamWire.metadata.safeParse(metadata ?? {}).data;
	const traits = (described?.traits ?? []).slice(0, TRAITS_PER_TOKEN_MAX);
	return {
		chainId,
		...token,
		standard: null,
		collectionSlug: slug,
		name: described?.name ?? null,
		description: described?.description ?? null,
		imageUrl: described?.image_url ?? null,
		animationUrl: described?.animation_url ?? null,
		metadataUrl: described?.metadata_url ?? null,
		traits: traits.flatMap((trait) => readTrait(trait) ?? []),
		rank: null,
	};
}

/** Reads a sale or a transfer of a token. `no_roles`: a sale whose seller is not certain. */
export function readHappening(
	happening: Happening,
	kind: "sale" | "transfer",
): ProviderEvent | "no_roles" | "unreadable" {
	return kind === "sale" ? readSale(happening) : readTransfer(happening);
}

/**
 * Returns seller and buyer. The stream names only the order's maker and its taker, and it is not
 * verified which is which for an accepted offer. Two facts are certain: the maker of an order that
 * was seen before is on that order's side, and offers cannot be made in the native coin, so a
 * payment in it means a listing. Null otherwise: a wrong seller is worse than a sale that arrives
 * over HTTP a moment later.
 */
export function partiesOf(sale: {
	maker: Address | null;
	taker: Address | null;
	currency: Address | null;
	known: KnownOrder | null;
}): Parties | null {
	const { maker, taker, currency, known } = sale;
	if (!maker || !taker) return null;
	if (known) {
		const isMaker = maker === known.maker;
		if (!isMaker && taker !== known.maker) return null;
		const other = isMaker ? taker : maker;
		return known.side === "listing"
			? { seller: known.maker, buyer: other }
			: { seller: other, buyer: known.maker };
	}
	return currency === ZERO_ADDRESS ? { seller: maker, buyer: taker } : null;
}

/**
 * Reads a new listing or offer. `no_price`: not for sale at a price, since an auction's first bid
 * is no ask, and a price of zero means a gift.
 */
export function readNewOrder(
	inner: unknown,
	kind: OrderKind,
	place: Place,
): ProviderOrder | "no_price" | "unreadable" {
	const { data } = streamWire.order.safeParse(inner);
	if (!data) return "unreadable";
	if (data.listing_type === "english" || data.base_price === 0n) return "no_price";
	const side = kind === "listing" ? "listing" : "offer";
	const signed = readSignedOrder(data.protocol_data, side);
	const payment = streamWire.paymentToken.safeParse(data.payment_token).data;
	const [maker, quantity] = [readAccount(data.maker), readUnits(data.quantity)];
	const { order_hash: orderHash, base_price: price } = data;
	if (!orderHash || !maker || !quantity || price === null) return "unreadable";
	// Without either the amount cannot be computed.
	if (!payment || payment.decimals === null || payment.symbol === null) return "unreadable";
	// An event that contradicts what was signed is no order.
	if (signed?.maker && signed.maker !== maker) return "unreadable";
	const tokenId = side === "listing" || kind === "item_offer" ? place.token?.tokenId : null;
	const criteria = kind === "trait_offer" ? readCriteria(data) : [];
	if (tokenId === undefined || !criteria) return "unreadable";
	const { units = null, payment: signedPayment = null } = signed ?? {};
	const signedTotal = signedPayment?.total ?? null;
	return {
		side,
		kind,
		orderHash,
		chainId: place.chainId,
		protocolAddress: data.protocol_address,
		maker,
		contract: place.token?.contract ?? contractOf(data) ?? signed?.token?.contract ?? null,
		tokenId,
		quantity,
		totalRaw: orderTotal(price, { units, remaining: quantity, signedTotal }),
		currency: payment.address,
		decimals: payment.decimals,
		symbol: payment.symbol,
		isActive: true,
		isPrivate: data.is_private === true || signed?.isPrivate === true || hasTaker(data),
		startsAtMs: data.listing_date ?? signed?.startsAtMs ?? data.created_date,
		expiresAtMs: data.expiration_date ?? signed?.expiresAtMs ?? null,
		criteria,
		protocolData: data.protocol_data
			? keepRaw(data.protocol_data, { bytesMax: RAW_BYTES_MAX, mayShorten: false })
			: null,
	};
}

/** Reads `{ address }`, or the address alone; null where it is neither. */
export function readAccount(value: unknown): Address | null {
	const row = typeof value === "string" ? { address: value } : value;
	return streamWire.account.safeParse(row).data?.address ?? null;
}

function readSale(happening: Happening): ProviderEvent | "no_roles" | "unreadable" {
	const { data } = streamWire.sale.safeParse(happening.inner);
	if (!data) return "unreadable";
	const shared = readShared(happening, { ...data, timeMs: data.closing_date });
	const token = streamWire.paymentToken.safeParse(data.payment_token).data;
	if (!shared || !token || data.sale_price === null) return "unreadable";
	const { address: currency, decimals, symbol } = token;
	const orderHash = data.order_hash;
	const parties = partiesOf({
		maker: readAccount(data.maker),
		taker: readAccount(data.taker),
		currency,
		known: orderHash && happening.orders.find(orderHash),
	});
	if (!parties) return "no_roles";
	const payment = { totalRaw: data.sale_price, currency, decimals, symbol };
	return { ...shared, orderHash, payment, type: "sale", ...parties };
}

/** Reads what both have in common; null without a token or a time, or for anything else. */
function readShared(
	{ slug, inner, place, nowMs }: Happening,
	data: { transaction: unknown; quantity?: unknown; timeMs: number | null },
) {
	const transaction = streamWire.transaction.safeParse(data.transaction ?? {}).data;
	const occurredAtMs = transaction?.timestamp ?? data.timeMs ?? place.toldAtMs;
	const quantity = readUnits(data.quantity);
	const nft = readItem(place, slug);
	if (occurredAtMs === null || occurredAtMs > nowMs + CLOCK_AHEAD_MAX_MS) return null;
	if (!nft || !quantity) return null;
	return {
		occurredAtMs,
		chainId: place.chainId,
		transactionHash: transaction?.hash ?? null,
		quantity,
		nft,
		raw: keepRaw(inner, { bytesMax: RAW_BYTES_MAX, mayShorten: true }) ?? {},
	};
}

function readTransfer(happening: Happening): ProviderEvent | "unreadable" {
	const { data } = streamWire.transfer.safeParse(happening.inner);
	if (!data) return "unreadable";
	const shared = readShared(happening, { ...data, timeMs: null });
	const [from, to] = [readAccount(data.from_account), readAccount(data.to_account)];
	if (!shared || !from || !to) return "unreadable";
	const type = from === ZERO_ADDRESS ? "mint" : "transfer";
	return { ...shared, orderHash: null, payment: null, type, from, to };
}

/**
 * Returns every requested trait. Null where there is none or one cannot be read: such an offer
 * would pass for one on other tokens.
 */
function readCriteria(row: Row): ProviderOrderCriteria[] | null {
	const asked = row.trait_criteria_list ?? [row.trait_criteria];
	const criteria = asked.slice(0, CRITERIA_PER_ORDER_MAX).flatMap((one) => {
		const { data } = streamWire.traitCriteria.safeParse(one);
		const { trait_type: type = null, trait_name: value = null } = data ?? {};
		return type !== null && value !== null ? [{ type, value }] : [];
	});
	return criteria.length > 0 && criteria.length === asked.length ? criteria : null;
}

function contractOf({ asset_contract_criteria }: Row) {
	return readAccount(asset_contract_criteria);
}

function hasTaker({ taker }: Row): boolean {
	return readAccount(taker) !== null;
}
