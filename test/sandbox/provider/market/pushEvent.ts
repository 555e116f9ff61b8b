import { EVENTS_PER_COLLECTION_MAX } from "./limits.ts";
import type { Market, MarketChange, MarketEvent } from "./Market.ts";

/** Stores an event with its collection, and returns it as a change. */
export function pushEvent(market: Market, event: Omit<MarketEvent, "seq">): MarketChange {
	market.seq += 1;
	const noted = { seq: market.seq, ...event };
	const { events } = event.collection;
	events.push(noted);
	// Cut in blocks: removing one at a time would copy the whole list for each event.
	if (events.length > EVENTS_PER_COLLECTION_MAX * 1.2) {
		events.splice(0, events.length - EVENTS_PER_COLLECTION_MAX);
	}
	return { kind: "event", event: noted };
}
