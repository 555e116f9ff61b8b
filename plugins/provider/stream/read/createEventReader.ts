import type { Clock } from "#core/clock/Clock.ts";
import type { PhoenixFrame } from "#plugins/provider/stream/frame/PhoenixFrame.ts";
import { createOrderMemory } from "#plugins/provider/stream/read/createOrderMemory.ts";
import { createRecentEvents } from "#plugins/provider/stream/read/createRecentEvents.ts";
import type { KnownChains } from "#plugins/provider/stream/read/readPlace.ts";
import { type ReadPush, readPush } from "#plugins/provider/stream/read/readPush.ts";

export type EventReader = (
	frame: PhoenixFrame,
	slug: string,
) => ReadPush | { kind: "left_out"; why: "repeated" };

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
