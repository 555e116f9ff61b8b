import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import { addFrames } from "#plugins/market-index/apply/addFrames.ts";
import { foreignCurrencies } from "#plugins/market-index/apply/foreignCurrencies.ts";
import { liveFrames } from "#plugins/market-index/apply/framesOf.ts";
import { repairFigures } from "#plugins/market-index/apply/repairFigures.ts";
import { retractionFrames } from "#plugins/market-index/apply/retractionFrames.ts";
import { standAlone } from "#plugins/market-index/apply/standAlone.ts";
import { tellWhatIsLeft } from "#plugins/market-index/apply/tellWhatIsLeft.ts";
import { supplyJobs } from "#plugins/market-index/jobs/metadataJobs.ts";
import { deleteEventsAbove } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { dropEmptyCollections } from "#plugins/market-index/sql/dropEmptyCollections.ts";
import { readCollectionNames } from "#plugins/market-index/sql/readCollectionNames.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type ReverterOptions = {
	chains: ChainRegistry;
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	prices: Pick<Prices, "ethUsd">;
	/** False where no provider is configured: what one once told does not outlive its block. */
	hasProvider?: boolean;
};

/** Takes back what left the chain with all that followed from it, in the caller's transaction. */
export type Reverter = (tx: Tx, reorg: Reorg) => Promise<void>;

/**
 * The applier's counterpart: afterwards the figures are those of the events that are left, as if
 * the others had never been, and streams say what was taken back. What the provider told too loses
 * only its block, and waits for the chain to tell it again.
 */
export function createReverter(options: ReverterOptions): Reverter {
	return async (tx, reorg) => {
		const chain = options.chains.byId(reorg.chainId);
		assert(chain, `a fork of chain ${reorg.chainId}, which has no definition`);
		const gone = await deleteEventsAbove(tx, reorg);
		if (gone.length === 0) return;
		const ids = [...new Set(gone.map(({ collectionId }) => collectionId))];
		const collections = await readCollectionNames(tx, ids);
		const moved = await repairFigures(tx, chain.id, gone);
		const told = options.hasProvider === false ? [] : await standAlone(tx, chain.id, gone);
		const dropped = await dropEmptyCollections(tx, ids);
		const left = (some: ReadonlySet<number>) => new Set([...some].filter((id) => !dropped.has(id)));
		const minted = left(moved.minted);
		await options.queue.add(tx, supplyJobs(minted));

		const currencies = await readCurrencies(tx, chain.id, foreignCurrencies(gone));
		const shown = { currencies, prices: options.prices };
		const topics = retractionFrames({ chain, events: gone, collections, shown });
		addFrames(topics, liveFrames({ chain, events: told, collections, shown }));
		await tellWhatIsLeft(tx, chain, topics, {
			collections,
			traded: [],
			takenFrom: moved.traded,
			sold: left(moved.sold),
			minted,
			nowMs: options.clock.nowMs(),
		});
		for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
	};
}
