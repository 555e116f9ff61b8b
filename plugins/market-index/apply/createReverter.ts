// Takes back events whose block left the chain, and repairs the figures.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Outbox } from "#core/outbox.ts";
import type { JobQueue } from "#core/queue.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import { lockFirstSyncs } from "#plugins/market-index/apply/rows.ts";
import { insertUnconfirmed } from "#plugins/market-index/confirm/unconfirmed.ts";
import { foreignCurrencies, providerPlace } from "#plugins/market-index/event/MarketEvent.ts";
import type { SpansOf } from "#plugins/market-index/figures/coverage.ts";
import { addRemainingFigures, retractionFrames } from "#plugins/market-index/frames/batchFrames.ts";
import { addFrames, liveFrames } from "#plugins/market-index/frames/eventFrames.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import { collectionChanges, sumRollups } from "#plugins/market-index/rollup/rollups.ts";
import { bucketOf, countedIn, TIERS } from "#plugins/market-index/rollup/windows.ts";
import { addFigures, dropEmptyCollections } from "#plugins/market-index/sql/addFigures.ts";
import { readCollectionNames, readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import {
	deleteEventsAbove,
	insertEvents,
	type TakenBack,
} from "#plugins/market-index/sql/events.ts";
import {
	type MinuteKey,
	recomputeRollups,
	takeBackCollections,
} from "#plugins/market-index/sql/recomputeRollups.ts";
import { takeBackFlags } from "#plugins/market-index/wash/sql.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Holds which figures had events in the removed blocks. */
type Repaired = { sold: Set<number>; minted: Set<number>; traded: MinuteKey[] };

export type TakingBack = {
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	prices: Pick<Prices, "ethUsd">;
	/** Returns what a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
};

type ReverterOptions = TakingBack & {
	chains: ChainRegistry;
	/**
	 * False where no provider is configured: an event that a former one reported is removed with its
	 * block.
	 */
	hasProvider?: boolean;
};

/** Takes back what left the chain with all that followed from it, in the caller's transaction. */
type Reverter = (tx: Tx, reorg: Reorg) => Promise<void>;

/**
 * Makes the applier's counterpart: after it the figures are those of the remaining events, as if
 * the others had never existed, and streams report what was removed. An event that the provider
 * reported too loses only its block, and waits until a lane reads it again.
 */
export function createReverter(options: ReverterOptions): Reverter {
	return async (tx, reorg) => {
		const chain = options.chains.byId(reorg.chainId);
		assert(chain, `a fork of chain ${reorg.chainId}, which has no definition`);
		const gone = await deleteEventsAbove(tx, reorg);
		if (gone.length === 0) return;
		const at = new Date(options.clock.nowMs());
		const isKept = options.hasProvider !== false;
		const standsAlone = async () => (isKept ? standAlone(tx, chain.id, { gone, at }) : []);
		await takeBack(options, tx, chain, { gone, standsAlone });
	};
}

/**
 * Stores events that left the chain as the provider reported them: without a block, until a lane
 * reads them again. Returns them as they are stored now.
 */
async function standAlone(
	tx: Tx,
	chainId: number,
	{ gone, at }: { gone: readonly TakenBack[]; at: Date },
): Promise<readonly TakenBack[]> {
	const told = gone.filter(({ payload }) => payload !== null);
	if (told.length === 0) return [];
	const rows = told.map((event) => ({
		...event,
		...providerPlace(event),
		// The lost block's number is as good an estimate as any; its hash names a block that does not
		// exist any more.
		blockHash: event.transactionHash,
		onchainVerified: false,
	}));
	const stored = await insertEvents(tx, chainId, rows);
	await insertUnconfirmed(tx, chainId, stored, at);
	const collections = collectionChanges(stored);
	await addFigures(tx, chainId, { minutes: sumRollups(stored), collections });
	return stored;
}

/**
 * Does all that follows from removed events: the figures become those of the rest, collections
 * without any source are removed, and streams report what was removed. Under the chain's lock.
 */
export async function takeBack(
	options: TakingBack,
	tx: Tx,
	chain: Chain,
	taken: {
		gone: readonly TakenBack[];
		/** Stores again what remains without its block; after the figures, which it adds to. */
		standsAlone(): Promise<readonly TakenBack[]>;
	},
): Promise<void> {
	const { gone, standsAlone } = taken;
	const ids = [...new Set(gone.map(({ collectionId }) => collectionId))];
	const collections = await readCollectionNames(tx, ids);
	await lockFirstSyncs(tx, ids);
	const moved = await repairFigures(tx, chain.id, gone);
	const told = await standsAlone();
	const dropped = await dropEmptyCollections(tx, ids);
	const left = (some: ReadonlySet<number>) => new Set([...some].filter((id) => !dropped.has(id)));
	const minted = left(moved.minted);
	await options.queue.add(tx, supplyJobs(minted));

	const currencies = await readCurrencies(tx, chain.id, foreignCurrencies(gone));
	const shown = { currencies, prices: options.prices };
	const topics = retractionFrames({ chain, events: gone, collections, shown });
	addFrames(topics, liveFrames({ chain, events: told, collections, shown }));
	await addRemainingFigures(tx, chain, topics, {
		collections,
		traded: [],
		takenFrom: moved.traded,
		sold: left(moved.sold),
		minted,
		nowMs: options.clock.nowMs(),
		spansOf: options.spansOf,
	});
	for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
}

/**
 * Recomputes the figures after these events were removed. Events added meanwhile must be in the
 * figures already: sums at their ceiling are computed anew from events.
 */
export async function repairFigures(
	tx: Tx,
	chainId: number,
	gone: readonly TakenBack[],
): Promise<Repaired> {
	const counted = gone.filter(({ kind, accepted }) => accepted && kind !== "transfer");
	await recomputeRollups(tx, chainId, counted.map(minuteOf));
	const changes = collectionChanges(counted);
	await takeBackCollections(tx, changes);
	await takeBackFlags(tx, changes);
	const traded = counted.filter(({ kind }) => kind === "sale").map(minuteOf);
	return { ...countedIn(counted), traded };
}

function minuteOf({ collectionId, occurredAtMs }: TakenBack): MinuteKey {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}
