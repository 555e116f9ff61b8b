// Declares the timers, frames and orders that the files of the stream share.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";

/** Timers as an argument, so that a test can let an hour pass at once. */
export type Timers = {
	/** Runs a function once, later; returns a function that cancels it. */
	after(ms: number, run: () => void): () => void;
};

/** Holds one message of a Phoenix channel, in either version of the serializer. */
export type PhoenixFrame = {
	/** The join of the topic that it belongs to; null where the server does not state it. */
	joinRef: string | null;
	/** The request that it answers; null for a message that the server sends by itself. */
	ref: string | null;
	topic: string;
	event: string;
	payload: Readonly<Record<string, unknown>>;
};

export type KnownOrder = { side: ProviderOrder["side"]; maker: Address };

/** Recent orders with their sides and makers. */
export type OrderMemory = {
	remember(order: ProviderOrder): void;
	find(orderHash: Hex): KnownOrder | null;
};

/** The chain and token that an event is about. */
export type Place = {
	chainId: number;
	/** Null where the event is about a collection or an order as a whole. */
	token: { contract: Address; tokenId: bigint } | null;
	metadata: Readonly<Record<string, unknown>> | null;
	/** The time that the event itself states. */
	toldAtMs: number | null;
};

export type Happening = {
	slug: string;
	inner: Readonly<Record<string, unknown>>;
	place: Place;
	orders: OrderMemory;
	nowMs: number;
};
