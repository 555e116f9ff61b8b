import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Log } from "#core/log/Log.ts";
import type { Job } from "#core/schedule/Job.ts";
import { sleep } from "#core/time/sleep.ts";
import {
	REPRICE_BUSY_MS,
	REPRICE_EVERY_MS,
	REPRICE_RETRY_MS,
	REPRICE_ROWS_MAX,
} from "#plugins/market-index/reprice/limits.ts";
import { type RepriceOptions, repricePart } from "#plugins/market-index/reprice/repricePart.ts";
import { readUnpriced } from "#plugins/market-index/reprice/sql/readUnpriced.ts";
import type { UnpricedEvent } from "#plugins/market-index/reprice/UnpricedEvent.ts";
import type { Priced, Prices } from "#plugins/prices/contract.ts";

type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

/** A span that is being priced, newest first. */
type Work = Learned & { after: UnpricedEvent | null };

export type Repricer = {
	/** Notes that rates became known; the job does the work. */
	note(learned: Learned): Promise<void>;
	/** Prices events of the noted spans, for a while. */
	run(signal: AbortSignal): Promise<void>;
	job: Job;
};

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

function nameOf({ chainId, currency }: Priced): string {
	return `${chainId}:${currency}`;
}
