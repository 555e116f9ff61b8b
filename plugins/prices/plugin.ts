// Declares the plugin, runs the jobs that read feeds, and announces which rates became known.

import { join } from "node:path";
import { z } from "zod";
import type { ChainRegistry } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import { jsonText } from "#core/config/fields.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Core } from "#core/plugin/Core.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import { type Prices, PricesKey } from "#plugins/prices/contract.ts";
import { type Feed, feedKey, feedsOf, usdFeeds } from "#plugins/prices/feed.ts";
import {
	createMemory,
	type FeedSpans,
	learnedOf,
	type Memory,
	type PriceMetrics,
} from "#plugins/prices/history/createMemory.ts";
import { createPoll, pruneRoundsJob } from "#plugins/prices/history/createPoll.ts";
import { addSpan, createFillGaps } from "#plugins/prices/history/fillGaps.ts";
import {
	BACKFILL_EVERY_MS,
	BACKFILL_TIMEOUT_MS,
	HISTORY_MS,
	POLL_EVERY_MS,
	POLL_TIMEOUT_MS,
	REFRESH_EVERY_MS,
} from "#plugins/prices/limits.ts";
import { pricesOver } from "#plugins/prices/pricesOver.ts";

export type RateAnnouncer = {
	add(listener: Listener): void;
	/** Calls every listener; a listener's failure is logged and does not affect the others. */
	announce(spans: FeedSpans): Promise<void>;
	/** Repeats announcements that were made before all processes had the rates in memory. */
	announceAgain(): Promise<void>;
};

export type RunningPrices = {
	onLearned: Prices["onLearned"];
	jobs: readonly Job[];
	start(signal: AbortSignal): Promise<void>;
	stop(): Promise<void>;
};

type Listener = Parameters<Prices["onLearned"]>[0];

const config = z.object({
	USD_FEEDS_JSON: jsonText(usdFeeds)
		.default({})
		.describe(
			"USD price feeds on chain, by chain id and token (the zero address is the chain's coin): " +
				'{"1":{"0x…":{"feed":"0x…","heartbeatSeconds":3600,"feedChain":1,"decimals":6,' +
				'"symbol":"USDC"}}}. Ethereum\'s ETH feed is built in.',
		),
});

/** Values currencies in USD and in ETH at any time, by price feeds on chain. */
export const pricesPlugin = definePlugin({
	name: "prices",
	version: "1",
	config,
	needs: {},
	offers: PricesKey,
	tables: { schema: "prices", folder: join(import.meta.dir, "migrations") },
	setup({ config: { USD_FEEDS_JSON }, core }) {
		const { chains, log } = core;
		const reached = new Set(core.reached.map(({ chain }) => chain.id));
		const { feeds, unreachable } = feedsOf(USD_FEEDS_JSON, { chains, reached });
		if (unreachable.length > 0) {
			const named = unreachable.map(({ priced, ...feed }) => {
				return `${priced.chainId}/${priced.currency} by ${feedKey(feed)}`;
			});
			log.warn("price feeds on chains that are not reached are not read", { feeds: named });
		}
		const memory = createMemory({ db: core.db, clock: core.clock, feeds });
		const running = runPrices(core, { feeds, memory });
		return {
			service: { ...pricesOver(chains, memory), onLearned: running.onLearned },
			jobs: running.jobs,
			start: running.start,
			stop: running.stop,
		};
	},
});

/**
 * Starts the reading of rounds: one process reads them on chain, every process follows the tables.
 */
export function runPrices(
	core: Core,
	{ feeds, memory }: { feeds: readonly Feed[]; memory: Memory },
): RunningPrices {
	const { chains, clock, log } = core;
	const announcer = createRateAnnouncer({ feeds, chains, clock, log });
	const stopping = new AbortController();
	let working: Promise<unknown> = Promise.resolve();
	const reading = {
		...core,
		feeds,
		metrics: priceMetrics(core.metrics),
		async learned(spans: FeedSpans) {
			await memory.refresh();
			await announcer.announce(spans);
		},
	};
	const poll = createPoll(reading);
	const fillGaps = createFillGaps(reading);

	async function follow(signal: AbortSignal): Promise<void> {
		let failed = false;
		while (!signal.aborted) {
			await sleep(REFRESH_EVERY_MS, signal);
			if (signal.aborted) return;
			try {
				await memory.refresh();
				failed = false;
			} catch (error) {
				if (!failed) log.warn("rounds of price feeds cannot be read from the tables", { error });
				failed = true;
			}
		}
	}

	/** Polls once, and reports all history again: a process that died may not have reported it. */
	async function begin(signal: AbortSignal): Promise<void> {
		await poll(signal);
		const toMs = clock.nowMs();
		const span = { fromMs: toMs - HISTORY_MS, toMs };
		const all: FeedSpans = new Map(feeds.map((feed) => [feedKey(feed), span]));
		await announcer.announce(all);
	}

	const jobs: Job[] = [
		{
			name: "prices.poll",
			schedule: { everyMs: POLL_EVERY_MS },
			lock: "cluster",
			timeoutMs: POLL_TIMEOUT_MS,
			run: ({ signal }) => poll(signal),
		},
		{
			name: "prices.history",
			schedule: { everyMs: BACKFILL_EVERY_MS },
			lock: "cluster",
			timeoutMs: BACKFILL_TIMEOUT_MS,
			run: ({ signal }) => fillGaps(signal),
		},
		{
			name: "prices.retell",
			schedule: { everyMs: POLL_EVERY_MS },
			lock: "process",
			timeoutMs: POLL_TIMEOUT_MS,
			run: () => announcer.announceAgain(),
		},
		pruneRoundsJob(core),
	];
	return {
		onLearned: announcer.add,
		jobs: feeds.length > 0 ? jobs : [],
		async start() {
			if (feeds.length === 0) return;
			const { signal } = stopping;
			await memory.refresh();
			const beginning = core.role === "api" ? Promise.resolve() : begin(signal);
			working = Promise.all([
				follow(signal),
				beginning.catch((error) => log.warn("price feeds were not read at the start", { error })),
			]);
		},
		async stop() {
			stopping.abort();
			await working;
		},
	};
}

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

/** Registers the metrics of the feeds. */
export function priceMetrics(metrics: Metrics): PriceMetrics {
	const rejected = metrics.counter({
		name: "price_answers_rejected_total",
		help: "Answers of price feeds that cannot be prices, by what is wrong with them.",
		labels: ["reason"],
	});
	const failed = metrics.counter({
		name: "price_reads_failed_total",
		help: "Times that a chain's price feeds could not be asked.",
		labels: ["chain"],
	});
	return {
		rejected: (reason) => rejected.inc({ reason }),
		failed: (chain) => failed.inc({ chain }),
	};
}
