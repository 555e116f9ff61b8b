import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Feed } from "#plugins/prices/feed/Feed.ts";
import { addSpan } from "#plugins/prices/history/addSpan.ts";
import type { FeedSpans } from "#plugins/prices/history/Learned.ts";
import { learnedOf } from "#plugins/prices/history/learnedOf.ts";
import { REFRESH_EVERY_MS } from "#plugins/prices/limits.ts";

type Listener = Parameters<Prices["onLearned"]>[0];

export type RateAnnouncer = {
	add(listener: Listener): void;
	/** Calls every listener; a listener's failure is logged and does not affect the others. */
	announce(spans: FeedSpans): Promise<void>;
	/** Repeats announcements that were made before all processes had the rates in memory. */
	announceAgain(): Promise<void>;
};

/**
 * Makes an announcer that calls listeners with the rates that became known. Twice: another process
 * may store an event as unpriced until it has read the new rounds too.
 */
export function createRateAnnouncer(options: {
	feeds: readonly Feed[];
	chains: ChainRegistry;
	clock: Clock;
	log: Log;
}): RateAnnouncer {
	const { feeds, chains, clock, log } = options;
	const listeners: Listener[] = [];
	let again: FeedSpans = new Map();
	let settledAtMs = Number.POSITIVE_INFINITY;

	async function say(spans: FeedSpans): Promise<void> {
		const nowMs = clock.nowMs();
		for (const { priced, fromMs, toMs } of learnedOf(feeds, spans, chains)) {
			const learned = { priced, fromMs, toMs: Math.min(toMs, nowMs) };
			for (const listener of listeners) {
				await listener(learned).catch((error) => {
					log.error("what was stored without a price was not priced", { ...learned, error });
				});
			}
		}
	}
	return {
		add: (listener) => void listeners.push(listener),
		async announce(spans) {
			for (const [feed, span] of spans) addSpan(again, feed, span);
			settledAtMs = clock.nowMs() + 2 * REFRESH_EVERY_MS;
			await say(spans);
		},
		async announceAgain() {
			if (again.size === 0 || clock.nowMs() < settledAtMs) return;
			const spans = again;
			again = new Map();
			await say(spans);
		},
	};
}
