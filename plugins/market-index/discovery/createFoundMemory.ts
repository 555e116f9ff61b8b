import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import { FOUND_EVERY_MS, FOUND_MAX } from "#plugins/market-index/discovery/limits.ts";

/**
 * Makes a function that queues found collections for a sync, unless this process did so a moment
 * ago. The database decides whether one is due; without this memory that would be a transaction for
 * each search.
 */
export function createFoundMemory(
	clock: Clock,
	discovered: (collectionIds: readonly number[]) => Promise<void>,
): (collectionIds: readonly number[]) => Promise<void> {
	const toldAtMs = new LRUCache<number, number>({ max: FOUND_MAX });
	return async (collectionIds) => {
		const nowMs = clock.nowMs();
		const news = collectionIds.filter((id) => {
			const ageMs = nowMs - (toldAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
			return ageMs < 0 || ageMs >= FOUND_EVERY_MS;
		});
		if (news.length === 0) return;
		for (const id of news) toldAtMs.set(id, nowMs);
		try {
			await discovered(news);
		} catch (error) {
			for (const id of news) toldAtMs.delete(id);
			throw error;
		}
	};
}
