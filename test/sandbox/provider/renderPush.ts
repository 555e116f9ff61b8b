// Renders the messages of the provider's stream.

import { addresses } from "../knownContracts.ts";
import type { BookOrder, Collection, MarketChange, MarketEvent } from "./market/Market.ts";
import { CHAIN, type Office } from "./rest/Office.ts";
import { renderCurrency } from "./rest/render.ts";

type Json = Record<string, unknown>;

/** A push of the stream; the provider nests its payload twice. */
export type Push = { slug: string; event: string; payload: Json };

type Body = { event: string; version: number; members: Json };

const METADATA_PUSHES_MAX = 50;
const SEAPORT = addresses.seaport.toLowerCase();
const OFFER_EVENT = {
	item_offer: "item_received_bid",
	collection_offer: "collection_offer",
	trait_offer: "trait_offer",
} as const;

/**
 * Returns the stream's messages about a change; none for the metadata of mints, else one per token.
 */
export async function renderPushes(office: Office, change: MarketChange): Promise<Push[]> {
	switch (change.kind) {
		case "event": {
			const { event } = change;
			const item = event.tokenId === null ? {} : await itemOf(office, event.collection, event);
			return [wrap(event.collection, event.timeS, withItem(ofEvent(office, event), item))];
		}
		case "gone":
		case "invalid":
		case "valid":
			return await ofOrder(office, change);
		case "metadata": {
			const { collection, timeS } = change;
			const ids = change.ids.slice(0, METADATA_PUSHES_MAX);
			return await Promise.all(
				ids.map(async (tokenId) => {
					const item = await itemOf(office, collection, { tokenId }, "full");
					const body = { event: "item_metadata_updated", version: timeS * 1_000, members: {} };
					return wrap(collection, timeS, withItem(body, item));
				}),
			);
		}
	}
}

function ofEvent(office: Office, event: MarketEvent): Body {
	const versionMs = event.timeS * 1_000;
	const quantity = Number(event.quantity);
	const transaction = { hash: event.transaction, timestamp: isoOf(event.timeS) };
	switch (event.type) {
		case "sale": {
			const [maker, taker] = event.isAcceptedOffer
				? [event.to, event.from]
				: [event.from, event.to];
			const members = {
				quantity,
				closing_date: isoOf(event.timeS),
				transaction,
				maker: maker && { address: maker },
				taker: taker && { address: taker },
				sale_price: String(event.payment?.totalRaw ?? 0n),
				...paymentOf(office, event),
				is_private: false,
				order_hash: event.orderHash,
				protocol_address: SEAPORT,
				listing_type: null,
			};
			return { event: "item_sold", version: versionMs, members };
		}
		case "transfer":
		case "mint": {
			const members = {
				from_account: { address: event.from },
				to_account: event.to && { address: event.to },
				quantity,
				transaction,
			};
			return { event: "item_transferred", version: versionMs, members };
		}
		default:
			return ofNewOrder(office, event);
	}
}

function ofNewOrder(office: Office, event: MarketEvent): Body {
	const { order, type } = event;
	const isListing = type === "listing";
	const startIso = isoOf(order?.createdS ?? event.timeS);
	const members = {
		quantity: Number(event.quantity),
		...(isListing ? { listing_type: null, listing_date: startIso } : { created_date: startIso }),
		expiration_date: isoOf(order?.expiresS ?? event.timeS),
		maker: { address: event.from },
		taker: null,
		base_price: String(event.payment?.totalRaw ?? 0n),
		...paymentOf(office, event),
		...(isListing && { is_private: false }),
		order_hash: event.orderHash,
		protocol_address: SEAPORT,
		...(order && criteriaOf(event.collection, order)),
	};
	const name = isOfferType(type) ? OFFER_EVENT[type] : "item_listed";
	return { event: name, version: order?.revision ?? 1, members };
}

function isOfferType(type: MarketEvent["type"]): type is keyof typeof OFFER_EVENT {
	return type in OFFER_EVENT;
}

function criteriaOf({ slug, facts }: Collection, { kind, traits }: BookOrder): Json {
	if (kind !== "collection_offer" && kind !== "trait_offer") return {};
	const [trait] = traits;
	return {
		collection_criteria: { slug },
		asset_contract_criteria: { address: facts.address },
		...(trait && { trait_criteria: { trait_type: trait.type, trait_name: trait.value } }),
	};
}

async function ofOrder(
	office: Office,
	change: Extract<MarketChange, { order: BookOrder }>,
): Promise<Push[]> {
	const { order, timeS } = change;
	const collection = office.market().collections.get(order.slug);
	if (!collection) return [];
	const item = order.tokenId === null ? {} : await itemOf(office, collection, order);
	const names = {
		gone: "item_cancelled",
		invalid: "order_invalidate",
		valid: "order_revalidate",
	} as const;
	const members = {
		order_hash: order.hash,
		protocol_address: SEAPORT,
		...(change.kind === "gone" && {
			quantity: Number(order.remaining),
			maker: { address: order.maker },
			base_price: String(order.totalRaw),
			payment_token: renderCurrency(office, order.currency),
			transaction: null,
		}),
	};
	const body = { event: names[change.kind], version: order.revision, members };
	return [wrap(collection, timeS, withItem(body, item))];
}

function paymentOf(office: Office, { payment }: MarketEvent): Json {
	return payment ? { payment_token: renderCurrency(office, payment.currency) } : {};
}

async function itemOf(
	office: Office,
	collection: Collection,
	token: { tokenId: bigint | null },
	detail?: "full",
): Promise<Json> {
	const id = token.tokenId ?? 0n;
	const [metadata] = await office.metadata.of(collection, [id]);
	const { address } = collection.facts;
	const traits = (metadata?.traits ?? []).map(({ type, value }) => ({
		trait_type: type,
		value,
		display_type: null,
		max_value: null,
		trait_count: 0,
		order: null,
	}));
	return {
		item: {
			nft_id: `${CHAIN}/${address}/${id}`,
			permalink: `${office.publicUrl}/item/${CHAIN}/${address}/${id}`,
			metadata: {
				name: metadata?.name ?? null,
				image_url: metadata?.image ?? null,
				animation_url: null,
				metadata_url: null,
				...(detail && {
					description: metadata?.description ?? null,
					background_color: null,
					traits,
				}),
			},
			chain: { name: CHAIN },
		},
	};
}

function withItem(body: Body, item: Json): Body {
	return { ...body, members: { ...body.members, ...item } };
}

function wrap(collection: Collection, timeS: number, { event, version, members }: Body): Push {
	const payload = {
		event_timestamp: isoOf(timeS),
		chain: CHAIN,
		collection: { slug: collection.slug },
		...members,
	};
	const sent_at = isoOf(timeS);
	return {
		slug: collection.slug,
		event,
		payload: { event_type: event, version, sent_at, payload },
	};
}

/** Writes a time with microseconds, as the provider does here. */
function isoOf(timeS: number): string {
	return new Date(timeS * 1_000).toISOString().replace(/Z$/, "000+00:00");
}
