import { addresses } from "../../addresses.ts";
import type { MarketEvent } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";
import type { Nft } from "./renderNft.ts";
import { renderNfts } from "./renderNft.ts";
import { criteriaOf } from "./renderOrder.ts";

type Json = Record<string, unknown>;

const SEAPORT = addresses.seaport.toLowerCase();
const EVENT_TYPE = { item_offer: "offer" } as Record<string, string>;

/** Renders the events of a page, with their tokens; reads metadata once per collection. */
export async function renderEvents(
	office: Office,
	events: readonly MarketEvent[],
): Promise<Json[]> {
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
export function eventTypeOf(event: MarketEvent): string {
	if (event.type === "mint" && isMintAsTransfer(event)) return "transfer";
	return EVENT_TYPE[event.type] ?? event.type;
}

/**
 * Returns true for some mints: it is unknown which of both types the real provider sends, so
 * clients get both.
 */
function isMintAsTransfer({ tokenId }: MarketEvent): boolean {
	return tokenId !== null && tokenId % 4n === 3n;
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
