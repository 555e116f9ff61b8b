// Reads one event of the stream: drops repeats, finds its place, picks its reader.

import { LRUCache } from "lru-cache";
import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";
import { KNOWN_ORDERS_MAX, RECENT_EVENTS_MAX, RECENT_EVENTS_MS } from "#plugins/provider/limits.ts";
import type {
	Happening,
	KnownOrder,
	OrderMemory,
	PhoenixFrame,
	Place,
} from "#plugins/provider/stream/model.ts";
import {
	type OrderKind,
	readHappening,
	readItem,
	readNewOrder,
	streamWire,
} from "#plugins/provider/stream/readItem.ts";
import { type ChainNames, readUint, wireField } from "#plugins/provider/wire/rows.ts";

/** Says whether the same event came a short while ago, and remembers it. */
export type RecentEvents = { isRepeated(frame: PhoenixFrame): boolean };

export type KnownChains = Pick<ChainNames, "idOf">;

export type ReadPlace = { kind: "place"; place: Place } | { kind: "unknown_chain" | "unreadable" };

export type PushContext = { chains: KnownChains; orders: OrderMemory; nowMs: number };

/**
 * `left_out`: an event without a use here. `missing`: an event that cannot be read from the frame,
 * so it has to be read over HTTP.
 */
export type ReadPush =
	| { kind: "push"; push: ProviderPush; atMs: number }
	| { kind: "left_out"; why: "unknown_type" | "unknown_chain" | "no_price" }
	| { kind: "missing"; why: "unreadable" | "no_roles"; atMs: number };

export type EventReader = (
	frame: PhoenixFrame,
	slug: string,
) => ReadPush | { kind: "left_out"; why: "repeated" };

type Reader = (event: Happening) => ProviderPush | "unreadable" | "no_roles" | "no_price";

const READERS: ReadonlyMap<string, Reader> = new Map([
	["item_listed", newOrder("listing")],
	["item_received_bid", newOrder("item_offer")],
	// Declared by the provider and never seen: offers on items come as bids.
	["item_received_offer", newOrder("item_offer")],
	["collection_offer", newOrder("collection_offer")],
	["trait_offer", newOrder("trait_offer")],
	["item_sold", happened("sale")],
	["item_transferred", happened("transfer")],
	["item_metadata_updated", metadata],
	["item_cancelled", changed("order_gone")],
	["order_invalidate", changed("order_gone")],
	["order_revalidate", changed("order_back")],
]);

/**
 * Makes a reader of events that remembers earlier ones: those that came already, and orders'
 * makers.
 */
export function createEventReader(options: { clock: Clock; chains: KnownChains }): EventReader {
	const { clock, chains } = options;
	const orders = createOrderMemory();
	const recent = createRecentEvents({ clock });
	return (frame, slug) => {
		if (recent.isRepeated(frame)) return { kind: "left_out", why: "repeated" };
		return readPush(frame, slug, { chains, orders, nowMs: clock.nowMs() });
	};
}

export function createOrderMemory(): OrderMemory {
	const orders = new LRUCache<Hex, KnownOrder>({ max: KNOWN_ORDERS_MAX });
	return {
		remember: ({ orderHash, side, maker }) => void orders.set(orderHash, { side, maker }),
		find: (orderHash) => orders.get(orderHash) ?? null,
	};
}

/**
 * Remembers a digest of each event for a while. Two frames are one event when topic, name and inner
 * payload are the same, whatever sending time the envelope states. An order that comes back in a
 * newer revision contains another time and is another event; which of two revisions counts is
 * decided where orders are stored.
 */
export function createRecentEvents(options: { clock: Clock }): RecentEvents {
	const { clock } = options;
	const seen = new LRUCache<bigint, true>({
		max: RECENT_EVENTS_MAX,
		ttl: RECENT_EVENTS_MS,
		ttlResolution: 0,
		perf: { now: () => clock.nowMs() + 1 },
	});
	return {
		isRepeated(frame) {
			const digest = digestOf(frame);
			if (seen.has(digest)) return true;
			seen.set(digest, true);
			return false;
		},
	};
}

/** Reads one event of a followed collection. Never throws, for any input. */
export function readPush(frame: PhoenixFrame, slug: string, context: PushContext): ReadPush {
	const { chains, orders, nowMs } = context;
	const envelope = streamWire.envelope.safeParse(frame.payload).data;
	const reader = READERS.get(envelope?.event_type ?? frame.event);
	if (!reader) return { kind: "left_out", why: "unknown_type" };
	const sentAtMs = Math.min(envelope?.sent_at ?? nowMs, nowMs);
	const inner = envelope?.payload;
	const where = readPlace(inner, chains);
	if (where.kind === "unknown_chain") return { kind: "left_out", why: "unknown_chain" };
	if (where.kind !== "place" || !inner) {
		return { kind: "missing", why: "unreadable", atMs: sentAtMs };
	}
	const { place } = where;
	const push = reader({ slug, inner, place, orders, nowMs });
	const atMs = Math.min(place.toldAtMs ?? sentAtMs, sentAtMs);
	if (push === "no_price") return { kind: "left_out", why: push };
	if (push === "unreadable" || push === "no_roles") return { kind: "missing", why: push, atMs };
	return { kind: "push", push, atMs };
}

/**
 * Reads an event's chain and token. An event names its chain in up to three places; if they differ,
 * the event is unreadable.
 */
export function readPlace(inner: unknown, chains: KnownChains): ReadPlace {
	const { data } = streamWire.place.safeParse(inner);
	if (!data) return { kind: "unreadable" };
	const item = streamWire.item.safeParse(data.item).data ?? null;
	const nftId = typeof item?.nft_id === "string" ? item.nft_id.split("/", 4) : null;
	const named = [nftId?.[0], chainName(item?.chain), chainName(data.chain)];
	const names = named.filter((name) => typeof name === "string");
	const ids = new Set(names.map(chains.idOf));
	const [chainId = null] = ids;
	if (ids.has(null)) return { kind: "unknown_chain" };
	if (chainId === null || ids.size > 1) return { kind: "unreadable" };
	const place = { chainId, metadata: item?.metadata ?? null, toldAtMs: data.event_timestamp };
	if (!nftId) return { kind: "place", place: { ...place, token: null } };
	// `chain/contract/id`
	const contract = wireField.address.parse(nftId[1]);
	const tokenId = readUint(nftId[2]);
	if (nftId.length !== 3 || !contract || tokenId === null) return { kind: "unreadable" };
	return { kind: "place", place: { ...place, token: { contract, tokenId } } };
}

function digestOf({ topic, event, payload }: PhoenixFrame): bigint {
	const { sent_at: _, ...told } = payload;
	return BigInt(Bun.hash(JSON.stringify([topic, event, told])));
}

/** Reads `{ name }`, or the name alone. */
function chainName(value: unknown): string | null {
	const row = typeof value === "string" ? { name: value } : value;
	return streamWire.named.safeParse(row).data?.name ?? null;
}

function newOrder(kind: OrderKind): Reader {
	return ({ inner, slug, place, orders }) => {
		const order = readNewOrder(inner, kind, place);
		if (typeof order === "string") return order;
		orders.remember(order);
		return { type: "order", slug, order };
	};
}

function changed(type: "order_gone" | "order_back"): Reader {
	return ({ inner, slug, place }) => {
		const orderHash = streamWire.orderHash.safeParse(inner).data?.order_hash;
		return orderHash ? { type, slug, chainId: place.chainId, orderHash } : "unreadable";
	};
}

function happened(kind: "sale" | "transfer"): Reader {
	return (happening) => {
		const event = readHappening(happening, kind);
		return typeof event === "string" ? event : { type: "event", slug: happening.slug, event };
	};
}

function metadata({ slug, place }: Happening): ReturnType<Reader> {
	const nft = readItem(place, slug);
	return nft ? { type: "metadata", slug, nft } : "unreadable";
}
