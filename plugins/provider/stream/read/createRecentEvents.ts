import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { RECENT_EVENTS_MAX, RECENT_EVENTS_MS } from "#plugins/provider/stream/limits.ts";

/** Says whether the same event came a short while ago, and remembers it. */
export type RecentEvents = { isRepeated(frame: PhoenixFrame): boolean };

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

function digestOf({ topic, event, payload }: PhoenixFrame): bigint {
	const { sent_at: _, ...told } = payload;
	return BigInt(Bun.hash(JSON.stringify([topic, event, told])));
}
