// Declares the timers, frames, orders and limits that the files of the stream share.

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

/** A larger frame is refused; the largest known event, with its signed order, is below 20 KiB. */
export const FRAME_BYTES_MAX = 1_048_576;
/** Levels of a frame; the deepest known event has ten. */
export const FRAME_DEPTH_MAX = 32;
/** Unreadable frames in a row, after which the other end is taken for another service. */
export const UNREADABLE_IN_A_ROW_MAX = 100;

/** Frames that are read in one turn of the event loop: about 1 ms. */
export const FRAMES_PER_TURN_MAX = 10;
/** The factor of the time of reading a part of a flood that it rests after it. */
export const INBOX_REST_SHARE = 3;
export const INBOX_REST_MS_MAX = 8;
/**
 * The number of waiting frames above which it does not rest: frames that do not fit are lost, and
 * read over HTTP.
 */
export const INBOX_UNHURRIED_MAX = 10_000;
/** The bytes of a socket's frames that may wait; with more, the socket is closed. */
export const INBOX_BYTES_MAX = 67_108_864;

/** The time until a socket must be open. */
export const OPEN_TIMEOUT_MS = 10_000;
/** A heartbeat must be answered before the next one is due. */
export const HEARTBEAT_MS = 30_000;
/** Requests of a socket that are remembered, to recognize their answers. */
export const UNANSWERED_MAX = 4_000;
/**
 * The wait before each attempt to open the socket again; the last one holds for all that follow.
 */
export const RECONNECT_DELAYS_MS = [10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000] as const;
/**
 * The number of connects in a minute above which each attempt waits for the longest delay: a server
 * that answers and then hangs up would otherwise be called a hundred times a second.
 */
export const CONNECTS_PER_MINUTE_MAX = 30;
/** Says how long a socket must live, in ms, until its end is logged again. */
export const STEADY_MS = 60_000;

export const TOPICS_MAX = 1_000;
export const SLUG_LENGTH_MAX = 256;
export const JOIN_TIMEOUT_MS = 10_000;
/** Limits the joins of one beat: a thousand at once would look like an attack. */
export const JOINS_PER_BEAT = 10;
export const JOIN_BEAT_MS = 100;
/** The wait before each attempt to join a topic again that was refused or that broke. */
export const REJOIN_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

/** Events remembered, so that one that is sent twice is handed on once. */
export const RECENT_EVENTS_MAX = 10_000;
export const RECENT_EVENTS_MS = 600_000;
/** Orders whose maker and side are remembered, to know the seller when one is filled. */
export const KNOWN_ORDERS_MAX = 20_000;
/** An event further in the future than this has a wrong clock. */
export const CLOCK_AHEAD_MAX_MS = 300_000;

export const QUEUE_PUSHES_MAX = 10_000;
export const QUEUE_BYTES_MAX = 67_108_864;
/** Pushes of one collection that are handed on together. */
export const PUSHES_TOGETHER_MAX = 50;
/** Collections whose pushes are handled at the same time: the rest of the pool is for readers. */
export const SLUGS_AT_ONCE_MAX = 2;
/** The factor of a part's time that it rests after it, while more wait. */
export const QUEUE_REST_SHARE = 2;
export const QUEUE_REST_MS_MAX = 60;
/**
 * The number of waiting pushes above which it does not rest: those that do not fit are lost, and
 * read over HTTP.
 */
export const QUEUE_UNHURRIED_MAX = QUEUE_PUSHES_MAX / 2;
/** The time for a part that is handed on together; then the collection goes on without it. */
export const PUSH_TIMEOUT_MS = 60_000;
/** Single pushes that fail in a row, after which the pushes are not to blame. */
export const FAILED_IN_A_ROW_MAX = 3;

/** Gaps within this time are reported together. */
export const GAP_GATHER_MS = 1_000;
/** Reports one collection's gaps at most this often: each costs calls of the shared limit. */
export const GAP_EVERY_MS = 30_000;
export const GAP_TIMEOUT_MS = 600_000;

/** The interval at which a process tries to take the stream's lease. */
export const LEASE_EVERY_MS = 1_000;
/** The lifetime of the listening process's stored state: a few of its beats. */
export const STATUS_BELIEVED_MS = 5_000;
/** The time for pushes under way when the stream is stopped. */
export const STOP_TIMEOUT_MS = 5_000;
