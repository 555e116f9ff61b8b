import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { AppliedChange } from "#plugins/market-index/apply/AppliedChange.ts";
import { collectionChanges } from "#plugins/market-index/apply/collectionChanges.ts";
import { contractsOf } from "#plugins/market-index/apply/contractsOf.ts";
import type { EventRow } from "#plugins/market-index/apply/EventRow.ts";
import { catchUpFrames, type TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { repairFigures } from "#plugins/market-index/apply/repairFigures.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { sumRollups } from "#plugins/market-index/apply/sumRollups.ts";
import { tellHistory } from "#plugins/market-index/apply/tellHistory.ts";
import { tellLive } from "#plugins/market-index/apply/tellLive.ts";
import { touchedCollections } from "#plugins/market-index/apply/touchedCollections.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";
import {
	collectionJobs,
	currencyJobs,
	supplyJobs,
} from "#plugins/market-index/jobs/metadataJobs.ts";
import { createConfirmer } from "#plugins/market-index/merge/createConfirmer.ts";
import type { KnownCollection } from "#plugins/market-index/sql/findCollections.ts";
import { insertEvents } from "#plugins/market-index/sql/insertEvents.ts";
import type { Partitions } from "#plugins/market-index/sql/partitionsOf.ts";
import { resolveCollections } from "#plugins/market-index/sql/resolveCollections.ts";
import { updateCollections } from "#plugins/market-index/sql/updateCollections.ts";
import { upsertRollups } from "#plugins/market-index/sql/upsertRollups.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type ApplierOptions = {
	chains: ChainRegistry;
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	partitions: Partitions;
	prices: Pick<Prices, "toNative" | "ethUsd">;
	/** False where no provider is configured: nothing is looked for that it may have told before. */
	hasProvider?: boolean;
};

/** Stores a batch with all that follows from it, inside the caller's transaction. */
export type Applier = (tx: Tx, batch: NewEvents) => Promise<void>;

/**
 * The only writer of events and figures. Whatever the order of batches, and however often one is
 * applied, the figures are those of the set of events stored.
 */
export function createApplier(options: ApplierOptions): Applier {
	const confirmer = createConfirmer({ hasProvider: options.hasProvider ?? true });
	return async (tx, batch) => {
		const chain = options.chains.byId(batch.chainId);
		assert(chain, `a batch of chain ${batch.chainId}, which has no definition`);
		if (batch.events.length === 0) return;
		const times = new Set<number>();
		for (const { occurredAtMs } of batch.events) times.add(occurredAtMs);
		await options.partitions.ensure(times, { ahead: batch.live });
		const [told, known] = await Promise.all([
			confirmer.find(tx, batch),
			resolveCollections(tx, chain.id, contractsOf(batch)),
		]);
		const rows = rowsOf(chain, batch, { known, prices: options.prices });
		const confirmed = await confirmer.take(tx, chain.id, told, rows);
		const stored = await insertEvents(tx, chain.id, rows);
		await queueMetadata(options, tx, chain, { known, stored, live: batch.live });
		if (stored.length + confirmed.length === 0) return;

		const rollups = sumRollups(stored);
		const figures = Promise.all([
			upsertRollups(tx, chain.id, rollups),
			updateCollections(tx, collectionChanges(stored)),
		]);
		figures.catch(() => {});
		if (confirmed.length > 0) {
			await figures;
			await repairFigures(tx, chain.id, confirmed);
		}
		const touched = touchedCollections(known, stored, confirmed);
		const change = { stored, confirmed, rollups, touched };
		// What is told is read behind what moved it, in the same round trip.
		const [topics] = await Promise.all([tell(options, tx, chain, batch, change), figures]);
		for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
	};
}

async function tell(
	options: ApplierOptions,
	tx: Tx,
	chain: Chain,
	batch: NewEvents,
	change: AppliedChange,
): Promise<TopicFrames> {
	if (batch.live) return tellLive(options, tx, chain, change);
	if (batch.isHistory) return tellHistory(options, tx, chain, change);
	return catchUpFrames(chain, change.touched.values());
}

async function queueMetadata(
	options: ApplierOptions,
	tx: Tx,
	chain: Chain,
	change: {
		known: ReadonlyMap<Address, KnownCollection>;
		stored: readonly EventRow[];
		live: boolean;
	},
): Promise<void> {
	const { known, stored, live } = change;
	const fresh = [...known.values()].filter((collection) => collection.isNew);
	const minted = new Set<number>();
	if (live)
		for (const { kind, collectionId } of stored) if (kind === "mint") minted.add(collectionId);
	for (const { id } of fresh) minted.delete(id);
	const jobs = [
		...collectionJobs(fresh),
		...supplyJobs(minted),
		...(await currencyJobs(tx, chain, stored)),
	];
	if (jobs.length > 0) await options.queue.add(tx, jobs);
}
