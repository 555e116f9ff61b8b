import type { NewEvents } from "#plugins/market-index/contract.ts";

/** Returns the times of a batch's events, each once. Neighbouring events mostly share theirs. */
export function timesOf(batch: Pick<NewEvents, "events">): Set<number> {
	const times = new Set<number>();
	let last = Number.NaN;
	for (const { occurredAtMs } of batch.events) {
		if (occurredAtMs !== last) times.add(occurredAtMs);
		last = occurredAtMs;
	}
	return times;
}
