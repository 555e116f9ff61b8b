import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import {
	DELIVERIES_REMEMBERED_MAX,
	DELIVERY_REMEMBERED_MS,
} from "#plugins/custody/webhook/limits.ts";

export type Deliveries = {
	/** Takes a delivery; false: it was taken before. */
	take(id: string): boolean;
	/** Forgets a delivery that we failed to use: the provider sends it again, and then it counts. */
	giveBack(id: string): void;
};

/**
 * Remembers deliveries that were taken, in memory: another process, or this one after a restart,
 * takes one for new, and that costs one look. Only verified ones come here, so strangers cannot
 * fill it.
 */
export function createDeliveries(
	clock: Clock,
	{ max = DELIVERIES_REMEMBERED_MAX }: { max?: number } = {},
): Deliveries {
	const taken = new LRUCache<string, { atMs: number }>({ max });
	return {
		take(id) {
			const nowMs = clock.nowMs();
			const before = taken.peek(id);
			if (before && nowMs - before.atMs < DELIVERY_REMEMBERED_MS) return false;
			taken.set(id, { atMs: nowMs });
			return true;
		},
		giveBack: (id) => void taken.delete(id),
	};
}
