import type { ProviderPush } from "#plugins/provider/contract.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import type { OrderMemory } from "#plugins/provider/stream/read/createOrderMemory.ts";
import { type Happening, readHappening } from "#plugins/provider/stream/read/readHappening.ts";
import { readItem } from "#plugins/provider/stream/read/readItem.ts";
import { type OrderKind, readNewOrder } from "#plugins/provider/stream/read/readNewOrder.ts";
import { type KnownChains, readPlace } from "#plugins/provider/stream/read/readPlace.ts";
import { streamWire } from "#plugins/provider/stream/wire/streamWire.ts";

export type PushContext = { chains: KnownChains; orders: OrderMemory; nowMs: number };

/**
 * `left_out`: an event without a use here. `missing`: an event that cannot be read from the frame,
 * so it has to be read over HTTP.
 */
export type ReadPush =
	| { kind: "push"; push: ProviderPush; atMs: number }
	| { kind: "left_out"; why: "unknown_type" | "unknown_chain" | "no_price" }
	| { kind: "missing"; why: "unreadable" | "no_roles"; atMs: number };

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

/** Reads one event of a followed collection. Never throws, whatever was sent. */
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
