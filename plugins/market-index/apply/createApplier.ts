import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import { applyInOneRoundTrip } from "#plugins/market-index/apply/applyInOneRoundTrip.ts";
import { contractsOf } from "#plugins/market-index/apply/contractsOf.ts";
import {
	type CollectionMemory,
	createCollectionMemory,
} from "#plugins/market-index/apply/createCollectionMemory.ts";
import { metadataWanted } from "#plugins/market-index/apply/metadataWanted.ts";
import { repairFigures } from "#plugins/market-index/apply/repairFigures.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { summarizeChange } from "#plugins/market-index/apply/summarizeChange.ts";
import { timesOf } from "#plugins/market-index/apply/timesOf.ts";
import { createConfirmer } from "#plugins/market-index/confirm/createConfirmer.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";
import type { SpansOf } from "#plugins/market-index/figures/createSpanMemory.ts";
import { batchFrames } from "#plugins/market-index/frames/batchFrames.ts";
import type { TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { resolveCollections } from "#plugins/market-index/register/resolveCollections.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { insertEvents } from "#plugins/market-index/sql/insertEvents.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/sql/limits.ts";
import type { Partitions } from "#plugins/market-index/sql/partitionsOf.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type ApplierOptions = {
	chains: ChainRegistry;
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	partitions: Partitions;
	prices: Pick<Prices, "toNative" | "ethUsd">;
	/** What a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
	/** False where no provider is configured: nothing is looked for that it may have told before. */
	hasProvider?: boolean;
};

/** Stores a batch with all that follows from it, inside the caller's transaction. */
export type Applier = (tx: Tx, batch: NewEvents) => Promise<void>;

/**
 * Makes the only writer of events and figures. Whatever the order of batches, and however often one
 * is applied, the figures are those of the set of stored events.
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
		// Rows that go by COPY would fail instead of being skipped, and are not urgent anyway.
		const isSmall = batch.live && batch.events.length < COPY_ROWS_MIN;
		const recalled = isSmall ? memory.recall(chain.id, contracts.keys()) : null;
		const atOnce = recalled && (await applyInOneRoundTrip(applying, recalled));
		const topics = atOnce ?? (await applyInSteps(applying, { contracts, memory }));
		for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
	};
}

/** Applies a batch in steps, each of which needs the answers of the one before. */
async function applyInSteps(
	applying: Applying,
	given: { contracts: ReadonlyMap<Address, "erc721" | "erc1155">; memory: CollectionMemory },
): Promise<TopicFrames> {
	const { options, confirmer, tx, chain, batch } = applying;
	const [told, known] = await Promise.all([
		confirmer.find(tx, batch),
		resolveCollections(tx, options.queue, {
			chainId: chain.id,
			contracts: given.contracts,
			areOwed: !batch.live,
		}),
	]);
	if (batch.live) given.memory.keep(chain.id, known);
	const rows = rowsOf(chain, batch, { known, prices: options.prices });
	const confirmed = await confirmer.take(tx, chain.id, told, rows);
	const stored = await insertEvents(tx, chain.id, rows);
	const jobs = await metadataWanted(applying, known.values(), stored);
	if (jobs.length > 0) await options.queue.add(tx, jobs);
	if (stored.length + confirmed.length === 0) return new Map();
	const change = summarizeChange(known, { stored, confirmed });
	const figures = addFigures(tx, chain.id, change);
	figures.catch(() => {});
	if (confirmed.length > 0) {
		await figures;
		await repairFigures(tx, chain.id, confirmed);
	}
	// The figures in frames are read after the statements that moved them, in the same round trip.
	const [topics] = await Promise.all([batchFrames(applying, change), figures]);
	return topics;
}
