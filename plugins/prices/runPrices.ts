import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { sleep } from "#core/time/sleep.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { createRateAnnouncer } from "#plugins/prices/createRateAnnouncer.ts";
import { type Feed, feedKey } from "#plugins/prices/feed/Feed.ts";
import type { Memory } from "#plugins/prices/history/createMemory.ts";
import { createPoll } from "#plugins/prices/history/createPoll.ts";
import { createFillGaps } from "#plugins/prices/history/fillGaps.ts";
import type { FeedSpans } from "#plugins/prices/history/Learned.ts";
import { pruneRoundsJob } from "#plugins/prices/history/pruneRoundsJob.ts";
import {
	BACKFILL_EVERY_MS,
	BACKFILL_TIMEOUT_MS,
	HISTORY_MS,
	POLL_EVERY_MS,
	POLL_TIMEOUT_MS,
	REFRESH_EVERY_MS,
} from "#plugins/prices/limits.ts";
import { priceMetrics } from "#plugins/prices/priceMetrics.ts";

export type RunningPrices = {
	onLearned: Prices["onLearned"];
	jobs: readonly Job[];
	start(signal: AbortSignal): Promise<void>;
	stop(): Promise<void>;
};

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
