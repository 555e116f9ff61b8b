// Prices events that were stored before the rate of their currency was known.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { Outbox } from "#core/outbox.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { SpansOf } from "#plugins/market-index/figures/coverage.ts";
import { addFigureFrames } from "#plugins/market-index/frames/batchFrames.ts";
import { catchUpFrames, type TopicFrames } from "#plugins/market-index/frames/eventFrames.ts";
import {
	type PricedEvent,
	priceCollections,
	priceEvents,
	readUnpriced,
	type UnpricedEvent,
} from "#plugins/market-index/reprice/sql.ts";
import { collectionChanges } from "#plugins/market-index/rollup/rollups.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/windows.ts";
import { readCollectionNames } from "#plugins/market-index/sql/collectionNames.ts";
import { recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";
import type { Priced, Prices } from "#plugins/prices/contract.ts";

export type RepriceOptions = {
	db: Database;
	clock: Clock;
	outbox: Outbox;
	scanner: Pick<Scanner, "lock">;
	/** Returns what a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
};

type Repricer = {
	/** Notes that rates became known; the job does the work. */
	note(learned: Learned): Promise<void>;
	/** Prices events of the noted spans, for a while. */
	run(signal: AbortSignal): Promise<void>;
	job: Job;
};

type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

/** A span that is being priced, newest first. */
type Work = Learned & { after: UnpricedEvent | null };

/**
 * Limits pricing events whose rate has become known: how often, for how long at once, how many
 * under one hold of the chain's lock, and the pause before a failure is retried.
 */
const REPRICE_EVERY_MS = 2_000;
const REPRICE_BUSY_MS = 500;
export const REPRICE_ROWS_MAX = 40;
const REPRICE_RETRY_MS = 30_000;

/**
 * Limits the sales priced in one transaction of which each changed candle is sent; with more,
 * clients are told to read their topics again.
 */
const REPRICE_TOLD_MAX = 20;

/**
 * Makes the repricer, which prices events that were stored before their rate was known. Notes are
 * kept in memory: they are at most one for each priced currency, and a new process notes everything
 * again.
 */
export function createRepricer(
	options: RepriceOptions & {
		chains: ChainRegistry;
		prices: Pick<Prices, "toNative">;
		log: Log;
	},
): Repricer {
	const { db, clock, chains, prices, log } = options;
	const waiting = new Map<string, Learned>();
	let work: Work | null = null;
	let restsUntilMs = Number.NEGATIVE_INFINITY;

	function next(): Work | null {
		for (const [name, learned] of waiting) {
			waiting.delete(name);
			return { ...learned, after: null };
		}
		return null;
	}

	/** Prices a part of a span and returns the rest. */
	async function runPart(part: Work): Promise<Work | null> {
		const { priced, fromMs, toMs, after } = part;
		const chain = chains.byId(priced.chainId);
		if (!chain) return null;
		const limit = REPRICE_ROWS_MAX;
		const found = await readUnpriced(db, { ...priced, fromMs, toMs, after, limit });
		const given = found.flatMap((event) => {
			const totalNative = prices.toNative(priced, event.totalRaw, event.occurredAtMs);
			return totalNative === null ? [] : [{ ...event, totalNative }];
		});
		await repricePart(options, chain, given);
		const last = found.at(-1);
		return last && found.length === limit ? { ...part, after: last } : null;
	}

	async function run(signal: AbortSignal): Promise<void> {
		const endsAtMs = clock.nowMs() + REPRICE_BUSY_MS;
		while (!signal.aborted && clock.nowMs() <= endsAtMs) {
			work ??= next();
			if (!work) return;
			const beganMs = performance.now();
			work = await runPart(work);
			// As long as it worked, so that a head waits for one part at most.
			if (work) await sleep(performance.now() - beganMs, signal);
		}
	}

	return {
		async note(learned) {
			const name = nameOf(learned.priced);
			const known = waiting.get(name) ?? learned;
			waiting.set(name, {
				priced: learned.priced,
				fromMs: Math.min(known.fromMs, learned.fromMs),
				toMs: Math.max(known.toMs, learned.toMs),
			});
		},
		run,
		job: {
			name: "market-index.reprice",
			schedule: { everyMs: REPRICE_EVERY_MS },
			lock: "process",
			timeoutMs: REPRICE_RETRY_MS,
			async run({ signal }) {
				if (clock.nowMs() < restsUntilMs) return;
				try {
					await run(signal);
				} catch (error) {
					restsUntilMs = clock.nowMs() + REPRICE_RETRY_MS;
					log.warn("events are priced later", { error });
				}
			},
		},
	};
}

/**
 * Gives a few events their price with all that follows from it, under the chain's lock: after it
 * the figures are as if the events had been priced when stored, and streams report what moved. An
 * event with a price keeps it.
 */
export async function repricePart(
	{ db, clock, outbox, scanner, spansOf }: RepriceOptions,
	chain: Chain,
	given: readonly (UnpricedEvent & { totalNative: bigint })[],
): Promise<void> {
	if (given.length === 0) return;
	await db.transaction(async (tx) => {
		await scanner.lock(tx, chain.id);
		const priced = await priceEvents(tx, chain.id, given);
		const sales = priced.filter(({ kind, accepted }) => accepted && kind === "sale");
		if (sales.length === 0) return;
		await Promise.all([
			recomputeRollups(tx, chain.id, sales.map(minuteOf)),
			priceCollections(tx, collectionChanges(sales)),
		]);
		const topics = await framesOf(tx, chain, { sales, nowMs: clock.nowMs(), spansOf });
		for (const [topic, frames] of topics) outbox.append(tx, topic, frames);
	});
}

function nameOf({ chainId, currency }: Priced): string {
	return `${chainId}:${currency}`;
}

function minuteOf({ collectionId, occurredAtMs }: PricedEvent) {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}

async function framesOf(
	tx: Tx,
	chain: Chain,
	given: { sales: readonly PricedEvent[]; nowMs: number; spansOf: SpansOf },
): Promise<TopicFrames> {
	const { sales, ...moved } = given;
	const sold = new Set(sales.map(({ collectionId }) => collectionId));
	const collections = await readCollectionNames(tx, [...sold]);
	if (sales.length > REPRICE_TOLD_MAX) return catchUpFrames(chain, collections.values());
	const topics: TopicFrames = new Map();
	const minutes = new Map(
		sales.map((sale) => {
			const minute = minuteOf(sale);
			return [`${minute.collectionId}:${minute.bucketMs}`, minute];
		}),
	);
	const traded = [...minutes.values()];
	const minted = new Set<number>();
	await addFigureFrames(tx, chain, topics, { collections, traded, sold, minted, ...moved });
	return topics;
}
