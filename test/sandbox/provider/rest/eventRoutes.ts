// Answers the provider's routes of events.

import { addresses } from "../../knownContracts.ts";
import type { Collection, MarketEvent } from "../market/Market.ts";
import {
	type Asked,
	addressOf,
	CHAIN,
	collectionByContract,
	collectionBySlug,
	limitOf,
	type Office,
	Refusal,
	type Route,
	readCursor,
	tokenOf,
	traitFilter,
	writeCursor,
} from "./Office.ts";
import { criteriaOf, type Nft, renderNfts } from "./render.ts";

type Json = Record<string, unknown>;

type Wanted = (event: MarketEvent) => boolean;

const SEAPORT = addresses.seaport.toLowerCase();
const EVENT_TYPE = { item_offer: "offer" } as Record<string, string>;

const TYPES = new Set([
	"sale",
	"transfer",
	"mint",
	"listing",
	"offer",
	"trait_offer",
	"collection_offer",
]);
const LIMITS = { limitDefault: 50, limitMax: 200 };

/** Routes of events, newest first; paged by `next`. */
export const eventRoutes: readonly Route[] = [
	{
		method: "GET",
		path: "/events",
		answer: (asked) => page(asked, [...asked.office.market().collections.values()]),
	},
	{
		method: "GET",
		path: "/events/collection/:slug",
		async answer(asked) {
			const { office, params, query } = asked;
			const collection = collectionBySlug(office, params[0]);
			const matches = traitFilter(query);
			if (!matches) return page(asked, [collection]);
			const metadata = await office.metadata.of(collection, collection.ids);
			const ids = new Set(collection.ids.filter((_, n) => matches(metadata[n]?.traits ?? [])));
			return page(asked, [collection], ({ tokenId }) => tokenId !== null && ids.has(tokenId));
		},
	},
	{
		method: "GET",
		path: "/events/chain/:chain/contract/:address/nfts/:identifier",
		answer(asked) {
			const [chain, address, identifier] = asked.params;
			const collection = collectionByContract(asked.office, { chain, address });
			const id = tokenOf(collection, identifier);
			return page(asked, [collection], ({ tokenId }) => tokenId === id);
		},
	},
	{
		method: "GET",
		path: "/events/accounts/:address",
		answer(asked) {
			const who = addressOf(asked.params[0]);
			const all = [...asked.office.market().collections.values()];
			return page(asked, all, ({ from, to }) => from === who || to === who);
		},
	},
];

/** Renders the events of a page, with their tokens; reads metadata once per collection. */
async function renderEvents(office: Office, events: readonly MarketEvent[]): Promise<Json[]> {
	const nfts = new Map<MarketEvent, Nft>();
	for (const [collection, own] of Map.groupBy(events, (event) => event.collection)) {
		const ids = [...new Set(own.flatMap(({ tokenId }) => (tokenId === null ? [] : [tokenId])))];
		const rendered = await renderNfts(office, collection, ids);
		for (const event of own) {
			const nft = event.tokenId === null ? undefined : rendered[ids.indexOf(event.tokenId)];
			if (nft) nfts.set(event, nft);
		}
	}
	return events.map((event) => renderEvent(event, nfts.get(event)));
}

/** Returns the provider's name of an event; see README on mints. */
function eventTypeOf(event: MarketEvent): string {
	if (event.type === "mint" && isMintAsTransfer(event)) return "transfer";
	return EVENT_TYPE[event.type] ?? event.type;
}

function renderEvent(event: MarketEvent, nft: Nft | undefined): Json {
	const { timeS, payment, orderHash, quantity, transaction } = event;
	const common = {
		event_type: eventTypeOf(event),
		event_timestamp: timeS,
		chain: CHAIN,
		...(orderHash && { order_hash: orderHash, protocol_address: SEAPORT }),
		...(payment && {
			payment: {
				quantity: String(payment.totalRaw),
				token_address: payment.currency.address,
				decimals: payment.currency.decimals,
				symbol: payment.currency.symbol,
			},
		}),
		quantity: Number(quantity),
	};
	switch (event.type) {
		case "sale":
			return {
				...common,
				transaction,
				closing_date: timeS,
				seller: event.from,
				buyer: event.to,
				nft,
			};
		case "transfer":
		case "mint":
			return {
				...common,
				transaction,
				transfer_type: event.type,
				from_address: event.from,
				to_address: event.to,
				nft,
			};
		default:
			return { ...common, ...orderMembers(event), ...(nft && { asset: nft }) };
	}
}

function orderMembers({ type, order, collection, from }: MarketEvent): Json {
	return {
		order_type: type,
		...(order && { start_date: order.createdS, expiration_date: order.expiresS }),
		maker: from,
		taker: null,
		is_private_listing: false,
		...(order && criteriaOf(collection, order)),
	};
}

/**
 * Returns true for some mints: it is unknown which of both types the real provider sends, so
 * clients get both.
 */
function isMintAsTransfer({ tokenId }: MarketEvent): boolean {
	return tokenId !== null && tokenId % 4n === 3n;
}

async function page(
	{ office, query }: Asked,
	collections: readonly Collection[],
	isWanted: Wanted = () => true,
): Promise<unknown> {
	const limit = limitOf(query, LIMITS);
	const fits = filterOf(query, isWanted);
	// One more of each than fits, so that the newest of all collections are included.
	const found = collections
		.flatMap(({ events }) => newest(events, fits, limit + 1))
		.sort((a, b) => b.timeS - a.timeS || b.seq - a.seq);
	const shown = found.slice(0, limit);
	const last = shown.at(-1);
	const next = found.length > limit && last ? writeCursor([last.timeS, last.seq]) : null;
	return { asset_events: await renderEvents(office, shown), ...(next && { next }) };
}

function filterOf(query: URLSearchParams, isWanted: Wanted): Wanted {
	const types = new Set(query.getAll("event_type"));
	for (const type of types)
		if (!TYPES.has(type)) throw new Refusal(400, `Invalid event_type: ${type}`);
	const after = secondsOf(query, "after") ?? Number.NEGATIVE_INFINITY;
	const before = secondsOf(query, "before") ?? Number.POSITIVE_INFINITY;
	const cursor = query.get("next");
	const [timeS = 0, seq = 0] = cursor ? readCursor(cursor) : [Number.POSITIVE_INFINITY];
	return (event) => {
		if (event.timeS > timeS || (event.timeS === timeS && event.seq >= seq)) return false;
		if (event.timeS <= after || event.timeS >= before) return false;
		return (types.size === 0 || types.has(eventTypeOf(event))) && isWanted(event);
	};
}

function secondsOf(query: URLSearchParams, name: string): number | null {
	const text = query.get(name);
	if (text === null) return null;
	if (!/^\d{1,12}$/.test(text)) throw new Refusal(400, `Invalid ${name}: ${text}`);
	return Number(text);
}

function newest(events: readonly MarketEvent[], fits: Wanted, max: number): MarketEvent[] {
	const found: MarketEvent[] = [];
	for (let n = events.length - 1; n >= 0 && found.length < max; n--) {
		const event = events[n];
		if (event && fits(event)) found.push(event);
	}
	return found;
}
