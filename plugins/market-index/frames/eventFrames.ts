// Collects frames by topic, live or while a lane catches up.

import type { Chain } from "#core/chain/Chain.ts";
import type { Frame } from "#core/outbox.ts";
import type {
	EventRow,
	KnownCollection,
	StorableEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/model.ts";
import { type EventContext, renderEvent } from "#plugins/market-index/render/event.ts";
import type { CollectionChange, Rollup } from "#plugins/market-index/rollup/rollups.ts";
import type { TakenBack } from "#plugins/market-index/sql/events.ts";

/** Holds what a batch changed. */
export type AppliedChange = {
	stored: readonly EventRow[];
	/** Events that only the provider had reported before, and that were removed. */
	confirmed: readonly TakenBack[];
	/** The sums that `stored` adds to the figures. */
	minutes: readonly Rollup[];
	collections: readonly CollectionChange[];
	touched: ReadonlyMap<number, KnownCollection>;
};

/** The frames that each topic's subscribers receive, in order. */
export type TopicFrames = Map<string, Frame[]>;

type Named = Pick<KnownCollection, "address" | "slug" | "name" | "imageUrl">;

/** Limits the live mints of one lane run: more go out as one `snapshot_required`. */
export const MINT_FRAMES_MAX = 40;

/** Retractions that a topic's subscribers get one by one; with more they must read again. */
export const RETRACTIONS_PER_TOPIC_MAX = 1_000;

/** Adds frames after those that their topics have already. */
export function addFrames(topics: TopicFrames, more: TopicFrames): void {
	for (const [topic, frames] of more) topics.set(topic, [...(topics.get(topic) ?? []), ...frames]);
}

/**
 * Returns the frames of single events, for a batch near the chain's head.
 *
 * A topic with more mints than one window may show gets one `snapshot_required` in their place;
 * sales are always sent one by one.
 */
export function liveFrames(options: {
	chain: Chain;
	events: readonly StorableEvent[];
	collections: ReadonlyMap<number, Named>;
	shown: EventContext;
}): TopicFrames {
	const { chain, events, collections, shown } = options;
	const topics: TopicFrames = new Map();
	const discover = discoverTopic(chain.slug);
	const mintsOf = countMints(events);
	const crowdedDiscover = (mintsOf.get(null) ?? 0) > MINT_FRAMES_MAX;
	const crowdedTopics = new Set<string>();

	for (const event of events) {
		const collection = collections.get(event.collectionId);
		if (!collection) continue;
		const topic = collectionTopic(chain.slug, collection.address);
		const data = renderEvent(chain, event, shown);
		const crowded =
			event.kind === "mint" && (mintsOf.get(event.collectionId) ?? 0) > MINT_FRAMES_MAX;
		if (crowded) addSnapshotOnce(topics, crowdedTopics, topic);
		else add(topics, topic, { type: "market_event", data });
		if (event.kind !== "mint" || !event.accepted) continue;
		const { slug, name, imageUrl } = collection;
		const row = { ...data, collection: { slug, name, imageUrl } };
		if (crowdedDiscover) addSnapshotOnce(topics, crowdedTopics, discover);
		else add(topics, discover, { type: "discover_row", data: { section: "mints", row } });
	}
	return topics;
}

/**
 * Returns the frames of a batch that catches up with history: all that a subscriber knows is out of
 * date. One frame a topic, however many events there were.
 */
export function catchUpFrames(
	chain: Chain,
	collections: Iterable<Pick<KnownCollection, "address">>,
): TopicFrames {
	const frame = { type: "snapshot_required", data: { reason: "catching_up" } };
	const topics: TopicFrames = new Map([[discoverTopic(chain.slug), [frame]]]);
	for (const { address } of collections) topics.set(collectionTopic(chain.slug, address), [frame]);
	return topics;
}

/** Counts the mints that each collection's topic would send, and under null those of discover. */
function countMints(events: readonly StorableEvent[]): Map<number | null, number> {
	const counts = new Map<number | null, number>();
	for (const { kind, collectionId, accepted } of events) {
		if (kind !== "mint") continue;
		counts.set(collectionId, (counts.get(collectionId) ?? 0) + 1);
		if (accepted) counts.set(null, (counts.get(null) ?? 0) + 1);
	}
	return counts;
}

function addSnapshotOnce(topics: TopicFrames, crowded: Set<string>, topic: string): void {
	if (crowded.has(topic)) return;
	crowded.add(topic);
	add(topics, topic, { type: "snapshot_required", data: { reason: "too_many_mints" } });
}

function add(topics: TopicFrames, topic: string, frame: Frame): void {
	const list = topics.get(topic);
	if (list) list.push(frame);
	else topics.set(topic, [frame]);
}
