// Renders collections, tokens and orders as the provider does.

import { type Hex, toHex, zeroAddress } from "viem";
import { addresses } from "../../knownContracts.ts";
import type { OrderParameters } from "../../seaportOrder.ts";
import {
	type BookOrder,
	type Collection,
	type Currency,
	holdersOf,
	listingsOf,
	type Metadata,
	salesSince,
	unitsOf,
} from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";

export type Nft = Record<string, unknown>;

type Json = Record<string, unknown>;

const DAY_S = 86_400;
const INTERVALS = { one_day: DAY_S, seven_days: 7 * DAY_S, thirty_days: 30 * DAY_S };

/** Renders a collection requested by name: not wrapped. */
export function renderCollectionDetail(office: Office, collection: Collection): Json {
	const { facts, units, ids, createdS } = collection;
	const { currencies } = office.market();
	const market = { fee: 1, recipient: addresses.marketFee.toLowerCase(), required: true };
	const { royalty } = facts;
	const artist = royalty && { fee: royalty.percent, recipient: royalty.recipient, required: false };
	const ether = currencies.get(zeroAddress);
	const weth = currencies.get(`0x${addresses.weth.slice(2).toLowerCase()}`);
	return {
		...renderCollection(office, collection),
		editors: facts.owner === null ? [] : [facts.owner],
		fees: artist ? [market, artist] : [market],
		total_supply: Number(units),
		unique_item_count: ids.length,
		created_date: new Date(createdS * 1_000).toISOString().slice(0, 10),
		pricing_currencies: {
			...(ether && { listing_currency: renderCurrency(office, ether) }),
			...(weth && { offer_currency: renderCurrency(office, weth) }),
		},
	};
}

/** Renders a payment token with its prices, which are texts. */
export function renderCurrency(office: Office, currency: Currency): Record<string, unknown> {
	const { symbol, address, name, decimals, etherPerUnit } = currency;
	return {
		symbol,
		address,
		chain: CHAIN,
		image: "",
		name,
		decimals,
		eth_price: String(etherPerUnit),
		usd_price: String(etherPerUnit * office.usdPerEther),
	};
}

/** Renders a row of the provider's lists. */
export function renderCollection(office: Office, collection: Collection): Json {
	const { slug, facts } = collection;
	return {
		collection: slug,
		name: facts.name,
		...(facts.description !== null && { description: facts.description }),
		...(facts.image !== null && { image_url: facts.image, banner_image_url: facts.image }),
		...(facts.owner !== null && { owner: facts.owner }),
		// A copy of a name, which has a number in its slug, is never vouched for.
		safelist_status: /-\d+$/.test(slug) ? "not_requested" : "verified",
		category: "art",
		is_disabled: false,
		is_nsfw: false,
		trait_offers_enabled: facts.standard === "erc721",
		collection_offers_enabled: facts.standard === "erc721",
		opensea_url: `${office.publicUrl}/collection/${slug}`,
		project_url: `https://${slug}.example`,
		contracts: [{ address: facts.address, chain: CHAIN }],
	};
}

/** Renders figures as doubles; a floor of 0 with an empty symbol means that nothing is for sale. */
export function renderStats(office: Office, collection: Collection): Json {
	const [best] = listingsOf(collection);
	const { totals } = collection;
	const nowS = office.market().head.timeS;
	return {
		total: {
			volume: totals.ether,
			volume_symbol: "ETH",
			sales: totals.sales,
			num_owners: holdersOf(collection).length,
			floor_price: best ? unitsOf(best.totalRaw / best.units, best.currency) : 0,
			floor_price_symbol: best ? best.currency.symbol : "",
		},
		intervals: Object.entries(INTERVALS).map(([interval, seconds]) => {
			const { sales, ether } = salesSince(collection, nowS - seconds);
			return { interval, volume: ether, volume_symbol: "ETH", sales };
		}),
	};
}

/** Renders several tokens of one collection; reads their metadata together. */
export async function renderNfts(
	office: Office,
	collection: Collection,
	ids: readonly bigint[],
): Promise<Nft[]> {
	const metadata = await office.metadata.of(collection, ids);
	return ids.map((id, n) => renderNft(office, collection, { id, metadata: metadata[n] }));
}

/** Renders a token for lists and events. */
export function renderNft(
	office: Office,
	collection: Collection,
	token: { id: bigint; metadata: Metadata | undefined },
): Nft {
	const { facts, slug, createdS } = collection;
	const { id, metadata } = token;
	return {
		identifier: String(id),
		collection: slug,
		contract: facts.address,
		token_standard: facts.standard,
		...(metadata?.name != null && { name: metadata.name }),
		...(metadata?.description != null && { description: metadata.description }),
		...(metadata?.image != null && { image_url: metadata.image }),
		...(metadata?.uri.startsWith("http") && { metadata_url: metadata.uri }),
		opensea_url: `${office.publicUrl}/item/${CHAIN}/${facts.address}/${id}`,
		updated_at: new Date(createdS * 1_000).toISOString(),
		is_disabled: false,
		is_nsfw: false,
		traits: (metadata?.traits ?? []).map(({ type, value }) => ({ trait_type: type, value })),
	};
}

/** Renders a token for its own page: with its owners. */
export function renderDetailed(nft: Nft, collection: Collection, id: bigint): Nft {
	const { facts } = collection;
	return {
		...nft,
		...("image_url" in nft && { display_image_url: nft["image_url"] }),
		is_suspicious: false,
		creator: facts.owner ?? facts.address,
		owners: ownersOf(collection, id),
	};
}

export function ownersOf(collection: Collection, id: bigint): Record<string, unknown>[] {
	return [...(collection.holders.get(id) ?? [])].map(([address, units]) => ({
		address,
		quantity: Number(units),
		quantity_string: String(units),
	}));
}

/**
 * Renders a listing or an offer. The price is in two places: `price.current` for a listing only.
 */
export async function renderOrder(
	office: Office,
	collection: Collection,
	order: BookOrder,
): Promise<Json> {
	const { currency, totalRaw, remaining, units } = order;
	const signature = await office.signatures.of(order);
	const value = String((totalRaw * (remaining || units)) / units);
	const price = { currency: currency.symbol, decimals: currency.decimals, value };
	const isListing = order.kind === "listing";
	const contract = collection.facts.address;
	return {
		order_hash: order.hash,
		chain: CHAIN,
		protocol_data: { parameters: renderParameters(order.parameters, "decimal"), signature },
		protocol_address: addresses.seaport.toLowerCase(),
		asset: {
			...(order.tokenId !== null && { identifier: String(order.tokenId) }),
			contract,
		},
		remaining_quantity: Number(remaining),
		order_created_at: order.createdS,
		price: isListing ? { current: price } : price,
		...(isListing ? { type: "basic" } : criteriaOf(collection, order)),
		status: order.status,
	};
}

/** Renders which tokens an offer accepts; empty for an offer on one token. */
export function criteriaOf({ slug, facts }: Collection, order: BookOrder): Json {
	if (order.kind !== "collection_offer" && order.kind !== "trait_offer") return {};
	return {
		criteria: {
			collection: { slug },
			contract: { address: facts.address },
			...(order.traits.length > 0 && { traits: order.traits }),
			encoded_token_ids: order.traitIds.length > 0 ? order.traitIds.join(",") : "*",
		},
	};
}

/**
 * Renders Seaport's parameters as text; the salt is decimal in the book and hex beside a
 * fulfilment.
 */
export function renderParameters(parameters: OrderParameters, salt: "decimal" | "hex"): Json {
	return {
		offerer: parameters.offerer,
		offer: parameters.offer.map(itemOf),
		consideration: parameters.consideration.map((item) => ({
			...itemOf(item),
			recipient: item.recipient,
		})),
		startTime: String(parameters.startTime),
		endTime: String(parameters.endTime),
		orderType: parameters.orderType,
		zone: parameters.zone,
		zoneHash: parameters.zoneHash,
		salt: salt === "hex" ? toHex(parameters.salt) : String(parameters.salt),
		conduitKey: parameters.conduitKey,
		totalOriginalConsiderationItems: Number(parameters.totalOriginalConsiderationItems),
		// The provider sends both forms, so clients must accept both.
		counter: parameters.salt % 512n === 1n ? "0" : 0,
	};
}

function itemOf(item: {
	itemType: number;
	token: Hex;
	identifierOrCriteria: bigint;
	startAmount: bigint;
	endAmount: bigint;
}): Json {
	return {
		itemType: item.itemType,
		token: item.token,
		identifierOrCriteria: String(item.identifierOrCriteria),
		startAmount: String(item.startAmount),
		endAmount: String(item.endAmount),
	};
}
