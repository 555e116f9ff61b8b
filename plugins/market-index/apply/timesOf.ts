import type { NewEvents } from "#plugins/market-index/contract.ts";

/** When a batch's events happened, each time once. Neighbours mostly share theirs. */
export function timesOf(batch: Pick<NewEvents, "events">): Set<number> {
	const times = new Set<number>();
	let last = Number.NaN;
	for (const { occurredAtMs } of batch.events) {
		if (occurredAtMs !== last) times.add(occurredAtMs);
		last = occurredAtMs;
	}
	return times;
}
