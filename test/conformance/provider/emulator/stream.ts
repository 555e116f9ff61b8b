// Serves the provider's stream: Phoenix channels with documented events.

import type { ServerWebSocket } from "bun";
import {
	coins,
	type Price,
	type WorldCollection,
	type WorldEvent,
	type WorldOrder,
	type WorldToken,
} from "#test/conformance/provider/world/World.ts";

export type StreamClient = { token: string | null; topics: Map<string, string> };

export type StreamServer = {
	/** Topics that somebody has joined, each once. */
	joined(): string[];
	/** Sends one event to whoever joined the collection, or all of them; answers to how many. */
	push(slug: string, event: { event_type: string; payload: unknown }): number;
	/** The text of a push of the collection, to send it many times. */
	send(slug: string, text: (joinRef: string) => string): number;
	/** Ends every connection without a word. */
	cut(): void;
	/** Frames of clients that the protocol does not know. */
	problems: string[];
	websocket: {
		open(socket: ServerWebSocket<StreamClient>): void;
		message(socket: ServerWebSocket<StreamClient>, text: string | Buffer): void;
		close(socket: ServerWebSocket<StreamClient>): void;
	};
};

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

/** The stream: Phoenix channels, version 2.0.0, whose frames are arrays of five. */
export function createStream(nowMs: () => number): StreamServer {
	const sockets = new Set<ServerWebSocket<StreamClient>>();
	const problems: string[] = [];

	function read(socket: ServerWebSocket<StreamClient>, text: string): void {
		const frame: unknown = JSON.parse(text);
		if (!Array.isArray(frame) || frame.length !== 5) {
			problems.push(`no frame of version 2.0.0: ${text.slice(0, 100)}`);
			return;
		}
		const [joinRef, ref, topic, event] = frame;
		const { topics } = socket.data;
		if (event === "phx_join") topics.set(topic, joinRef);
		else if (event === "phx_leave") topics.delete(topic);
		else if (event !== "heartbeat" || topic !== "phoenix") {
			problems.push(`unknown event ${event} on ${topic}`);
			return;
		}
		const reply = { status: "ok", response: {} };
		socket.send(JSON.stringify([joinRef, ref, topic, "phx_reply", reply]));
	}

	function send(slug: string, text: (joinRef: string) => string): number {
		let count = 0;
		for (const socket of sockets) {
			const { topics } = socket.data;
			const joinRef = topics.get(`collection:${slug}`) ?? topics.get("collection:*");
			if (joinRef === undefined) continue;
			socket.send(text(joinRef));
			count++;
		}
		return count;
	}

	return {
		problems,
		joined: () => [...new Set([...sockets].flatMap(({ data }) => [...data.topics.keys()]))],
		send,
		push(slug, event) {
			const payload = { ...event, version: nowMs(), sent_at: new Date(nowMs()).toISOString() };
			return send(slug, (joinRef) =>
				JSON.stringify([joinRef, null, `collection:${slug}`, event.event_type, payload]),
			);
		},
		cut() {
			for (const socket of sockets) socket.terminate();
		},
		websocket: {
			open: (socket) => void sockets.add(socket),
			message: (socket, text) => read(socket, String(text)),
			close: (socket) => void sockets.delete(socket),
		},
	};
}

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
