import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import { applyAtOnce } from "#plugins/market-index/apply/applyAtOnce.ts";
import { changeOf } from "#plugins/market-index/apply/changeOf.ts";
import { contractsOf } from "#plugins/market-index/apply/contractsOf.ts";
import {
	type CollectionMemory,
	createCollectionMemory,
} from "#plugins/market-index/apply/createCollectionMemory.ts";
import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { metadataWanted } from "#plugins/market-index/apply/metadataWanted.ts";
import { repairFigures } from "#plugins/market-index/apply/repairFigures.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { tell } from "#plugins/market-index/apply/tell.ts";
import { timesOf } from "#plugins/market-index/apply/timesOf.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/limits.ts";
import { createConfirmer } from "#plugins/market-index/merge/createConfirmer.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { insertEvents } from "#plugins/market-index/sql/insertEvents.ts";
import type { Partitions } from "#plugins/market-index/sql/partitionsOf.ts";
import { resolveCollections } from "#plugins/market-index/sql/resolveCollections.ts";
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
	const memory = createCollectionMemory();
	return async (tx, batch) => {
		const chain = options.chains.byId(batch.chainId);
		assert(chain, `a batch of chain ${batch.chainId}, which has no definition`);
		if (batch.events.length === 0) return;
		await options.partitions.ensure(timesOf(batch), { ahead: batch.live });
		const applying = { options, confirmer, tx, chain, batch };
		const contracts = contractsOf(batch);
		// Rows that go by COPY would fail instead of being left out, and cost a moment anyway.
		const isSmall = batch.live && batch.events.length < COPY_ROWS_MIN;
		const recalled = isSmall ? memory.recall(chain.id, contracts.keys()) : null;
		const told = recalled && (await applyAtOnce(applying, recalled));
		const topics = told ?? (await applyInSteps(applying, { contracts, memory }));
		for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
	};
}

/** Each step stands on the answers of the one before. */
async function applyInSteps(
	applying: Applying,
	given: { contracts: ReadonlyMap<Address, "erc721" | "erc1155">; memory: CollectionMemory },
): Promise<TopicFrames> {
	const { options, confirmer, tx, chain, batch } = applying;
	const [told, known] = await Promise.all([
		confirmer.find(tx, batch),
		resolveCollections(tx, chain.id, given.contracts),
	]);
	if (batch.live) given.memory.keep(chain.id, known);
	const rows = rowsOf(chain, batch, { known, prices: options.prices });
	const confirmed = await confirmer.take(tx, chain.id, told, rows);
	const stored = await insertEvents(tx, chain.id, rows);
	const jobs = await metadataWanted(applying, known.values(), stored);
	if (jobs.length > 0) await options.queue.add(tx, jobs);
	if (stored.length + confirmed.length === 0) return new Map();
	const change = changeOf(known, { stored, confirmed });
	const figures = addFigures(tx, chain.id, change);
	figures.catch(() => {});
	if (confirmed.length > 0) {
		await figures;
		await repairFigures(tx, chain.id, confirmed);
	}
	// What is told is read behind what moved it, in the same round trip.
	const [topics] = await Promise.all([tell(applying, change), figures]);
	return topics;
}
