import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import { repairFigures } from "#plugins/market-index/apply/repairFigures.ts";
import { lockFirstSyncs } from "#plugins/market-index/apply/sql/lockFirstSyncs.ts";
import { foreignCurrencies } from "#plugins/market-index/event/foreignCurrencies.ts";
import type { SpansOf } from "#plugins/market-index/figures/createSpanMemory.ts";
import { liveFrames } from "#plugins/market-index/frames/eventFrames.ts";
import { addRemainingFigures } from "#plugins/market-index/frames/figureFrames.ts";
import { retractionFrames } from "#plugins/market-index/frames/retractionFrames.ts";
import { addFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { dropEmptyCollections } from "#plugins/market-index/sql/dropEmptyCollections.ts";
import { readCollectionNames } from "#plugins/market-index/sql/readCollectionNames.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type TakingBack = {
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	prices: Pick<Prices, "ethUsd">;
	/** What a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
};

/**
 * Does all that follows from removed events: the figures become those of the rest, collections
 * without any source are removed, and streams report what was taken back. Under the chain's lock.
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
