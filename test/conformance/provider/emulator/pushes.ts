import { coins } from "#test/conformance/provider/world/coins.ts";
import type {
	Price,
	WorldCollection,
	WorldEvent,
	WorldOrder,
	WorldToken,
} from "#test/conformance/provider/world/World.ts";

/** Events of the stream, as its documentation describes them: what a push's payload contains. */
export const pushes = {
	sold(collection: WorldCollection, event: WorldEvent) {
		const { atS, token, from, to, price, transaction, orderHash, quantity } = event;
		return {
			event_type: "item_sold",
			payload: {
				...common(collection, token),
				event_timestamp: isoMicros(atS),
				closing_date: isoMicros(atS),
				is_private: false,
				listing_type: null,
				maker: { address: from },
				taker: { address: to },
				order_hash: orderHash,
				...amounts("sale_price", price),
				quantity,
				transaction: { hash: transaction, timestamp: isoMicros(atS) },
			},
		};
	},
	transferred(collection: WorldCollection, event: WorldEvent) {
		const { atS, token, from, to, transaction, quantity } = event;
		return {
			event_type: "item_transferred",
			payload: {
				...common(collection, token),
				event_timestamp: isoMicros(atS),
				from_account: { address: from },
				to_account: { address: to },
				quantity,
				transaction: { hash: transaction, timestamp: isoMicros(atS) },
			},
		};
	},
	listed(collection: WorldCollection, order: WorldOrder) {
		const { token, createdS, startS, endS, maker, price, quantity, hash } = order;
		if (!token) throw new Error("a listing is of a token");
		return {
			event_type: "item_listed",
			payload: {
				...common(collection, token),
				event_timestamp: isoMicros(createdS),
				listing_date: isoMicros(startS),
				expiration_date: isoMicros(endS),
				listing_type: null,
				is_private: false,
				maker: { address: maker },
				taker: null,
				order_hash: hash,
				protocol_address: "0x0000000000000068f116a894984e2db1123eb395",
				...amounts("base_price", price),
				quantity,
			},
		};
	},
};

function common({ slug }: WorldCollection, { place, id, name, imageUrl }: WorldToken) {
	return {
		item: {
			nft_id: `${place.chain}/${place.address}/${id}`,
			permalink: `https://marketplace.example/item/${place.chain}/${place.address}/${id}`,
			metadata: { name, image_url: imageUrl, animation_url: null, metadata_url: null },
			chain: { name: place.chain },
		},
		collection: { slug },
	};
}

function amounts(name: "sale_price" | "base_price", price: Price | null) {
	const coin = price?.coin ?? coins.eth;
	return {
		[name]: (price?.total ?? 0n).toString(),
		payment_token: {
			address: coin.address,
			decimals: coin.decimals,
			eth_price: "1.000000000000000",
			usd_price: "2500.000000000000",
			name: coin.symbol,
			symbol: coin.symbol,
		},
	};
}

/** ISO 8601 with microseconds, as the stream has it. */
function isoMicros(atS: number): string {
	return new Date(atS * 1_000).toISOString().replace("Z", "000+00:00");
}
