import type { Chain } from "#core/chain/Chain.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/contract.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { RETRACTIONS_PER_TOPIC_MAX } from "#plugins/market-index/frames/limits.ts";
import type { TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { type EventContext, renderEvent } from "#plugins/market-index/render/renderEvent.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";

/**
 * Returns the frames of a reorg: each removed event, as it was sent before, with `retracted`. A
 * topic with too many gets one `snapshot_required` in their place.
 */
export function retractionFrames(options: {
	chain: Chain;
	events: readonly TakenBack[];
	collections: ReadonlyMap<number, Pick<KnownCollection, "slug" | "name" | "imageUrl">>;
	shown: EventContext;
}): TopicFrames {
	const { chain, events, collections, shown } = options;
	const topics: TopicFrames = new Map();
	const add = (topic: string, type: string, data: unknown) => {
		const list = topics.get(topic) ?? [];
		topics.set(topic, list);
		list.push({ type, data });
	};
	for (const event of events) {
		const data = { ...renderEvent(chain, event, shown), retracted: true };
		add(collectionTopic(chain.slug, event.contract), "market_event", data);
		const collection = collections.get(event.collectionId);
		if (event.kind !== "mint" || !event.accepted || !collection) continue;
		const { slug, name, imageUrl } = collection;
		const row = { ...data, collection: { slug, name, imageUrl } };
		add(discoverTopic(chain.slug), "discover_row", { section: "mints", row });
	}
	for (const [topic, frames] of topics) {
		if (frames.length <= RETRACTIONS_PER_TOPIC_MAX) continue;
		topics.set(topic, [{ type: "snapshot_required", data: { reason: "reorg" } }]);
	}
	return topics;
}
