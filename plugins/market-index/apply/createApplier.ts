// Stores batches of events, with the figures and frames that follow from them.

import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import { isSqlState, type Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Outbox } from "#core/outbox.ts";
import type { JobQueue, NewJob } from "#core/queue.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { createReverter, repairFigures } from "#plugins/market-index/apply/createReverter.ts";
import {
	areSameInRows,
	type CollectionMemory,
	createCollectionMemory,
	rowsOf,
	timesOf,
} from "#plugins/market-index/apply/rows.ts";
import { type Confirmer, createConfirmer } from "#plugins/market-index/confirm/unconfirmed.ts";
import type { EventRow, KnownCollection } from "#plugins/market-index/event/MarketEvent.ts";
import type { SpansOf } from "#plugins/market-index/figures/coverage.ts";
import { batchFrames } from "#plugins/market-index/frames/batchFrames.ts";
import {
	type AppliedChange,
	catchUpFrames,
	type TopicFrames,
} from "#plugins/market-index/frames/eventFrames.ts";
import { currencyJobs, supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import type { NewEvents } from "#plugins/market-index/model.ts";
import type { OwnerKeeper } from "#plugins/market-index/owners/createOwnership.ts";
import { resolveCollections } from "#plugins/market-index/register/registerCollections.ts";
import { collectionChanges, sumRollups } from "#plugins/market-index/rollup/rollups.ts";
import { nativeTotal } from "#plugins/market-index/rollup/windows.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { findCollections } from "#plugins/market-index/sql/collectionNames.ts";
import { COPY_ROWS_MIN, copyEvents, insertEvents } from "#plugins/market-index/sql/events.ts";
import type { Partitions } from "#plugins/market-index/sql/partitions.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** A batch that is being applied to the index, with all that it needs. */
type Applying = {
	options: ApplierOptions;
	confirmer: Confirmer;
	tx: Tx;
	chain: Chain;
	batch: NewEvents;
};

export type ApplierOptions = {
	chains: ChainRegistry;
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
	partitions: Partitions;
	prices: Pick<Prices, "toNative" | "ethUsd">;
	/** Returns what a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
	/**
	 * False where no provider is configured: then no event is searched that it may have reported
	 * before.
	 */
	hasProvider?: boolean;
};

/** Stores a batch with all that follows from it, inside the caller's transaction. */
export type Applier = (tx: Tx, batch: NewEvents) => Promise<void>;

type EarlyOptions = ApplierOptions & {
	/** A smaller batch is left to the applier, which is fast with it. */
	rowsMin?: number;
};

type Early = (tx: Tx, batch: NewEvents) => Promise<((tx: Tx) => Promise<boolean>) | null>;

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

/**
 * Makes the index as lanes use it: it stores what they read on chain, and removes it after a reorg.
 */
export function marketSink(options: EarlyOptions, owners: OwnerKeeper | null = null): EventSink {
	const revert = createReverter(options);
	return {
		name: "market-index",
		apply: createApplier(options),
		storeEarly: storeEarly(options),
		async revert(tx, reorg) {
			await revert(tx, reorg);
			await owners?.revert(tx, reorg);
		},
		...(owners && { ownership: owners }),
	};
}

/**
 * Applies a batch in one round trip, on assumptions that hold nearly always at the head of a chain:
 * its collections are unchanged, none of it is stored, and no provider reported it before. The same
 * round trip checks them, before the statements that depend on them; where one is wrong all is
 * rolled back: null.
 */
async function applyInOneRoundTrip(
	applying: Applying,
	known: ReadonlyMap<Address, KnownCollection>,
): Promise<TopicFrames | null> {
	const { options, confirmer, tx, chain, batch } = applying;
	const stored = rowsOf(chain, batch, { known, prices: options.prices });
	const change = summarizeChange(known, { stored, confirmed: [] });
	// In this order: each is sent before the next is looked at.
	const sent = [
		tx.execute("savepoint batch"),
		confirmer.find(tx, batch),
		findCollections(tx, chain.id, [...known.keys()]),
		insertEvents(tx, chain.id, stored, { isNew: true }),
		addFigures(tx, chain.id, change),
		batchFrames(applying, change),
		metadataWanted(applying, known.values(), stored),
	] as const;
	// Even after a failure: statements sent after the rollback would stay.
	await Promise.allSettled(sent);
	const answers = await Promise.all(sent).catch(() => null);
	if (answers) {
		const [, told, found, , , frames, jobs] = answers;
		if (told.length === 0 && areSame(found, known)) {
			const queue = () => options.queue.add(tx, jobs);
			if (jobs.length > 0) tx.beforeCommit(queue, { singleStatement: true });
			return frames;
		}
	}
	await tx.execute("rollback to savepoint batch");
	return null;
}

/**
 * Says whether collections are as they were known, in all that rows and live frames are made from.
 */
function areSame(
	found: readonly KnownCollection[],
	known: ReadonlyMap<Address, KnownCollection>,
): boolean {
	const isNamedSo = (now: KnownCollection) => {
		const then = known.get(now.address);
		return then?.slug === now.slug && then.name === now.name && then.imageUrl === now.imageUrl;
	};
	return areSameInRows(found, known) && found.every(isNamedSo);
}

/**
 * Makes a function that copies a large batch's events in before the chain's lock is held: they are
 * most of the work, and no other writer's rows. Shared rows (figures, collections, frames) are
 * computed meanwhile and written under the lock, in one round trip.
 *
 * Only for the ordinary case, in which every collection is known, no event is stored already and
 * the provider told none of them before. That is checked again under the lock, as is whether a
 * price became known meanwhile; otherwise the batch is applied anew. A name that came meanwhile
 * does not matter, as no stored row or frame contains it.
 */
export function storeEarly(options: EarlyOptions): Early {
	const { rowsMin = COPY_ROWS_MIN } = options;
	const confirmer = createConfirmer({ hasProvider: options.hasProvider ?? true });
	return async (tx, batch) => {
		if (batch.events.length < rowsMin) return null;
		const chain = options.chains.byId(batch.chainId);
		assert(chain, `a batch of chain ${batch.chainId}, which has no definition`);
		await options.partitions.ensure(timesOf(batch));
		const contracts = [...contractsOf(batch).keys()];
		const found = await findCollections(tx, chain.id, contracts);
		if (found.length < contracts.length) return null;
		const known = new Map(found.map((collection) => [collection.address, collection]));
		const rows = rowsOf(chain, batch, { known, prices: options.prices });
		try {
			await copyEvents(tx, chain.id, rows);
		} catch (error) {
			if (isSqlState(error, "unique_violation")) return async () => false;
			throw error;
		}
		const change = summarizeChange(known, { stored: rows, confirmed: [] });
		const topics = catchUpFrames(chain, change.touched.values());
		// A job that prices unpriced events goes through stored rows, and did not see these.
		const isPricedNow = (row: EventRow) =>
			row.totalNative === null && nativeTotal(chain, row, options.prices) !== null;
		return async (locked) => {
			const applying: Applying = { options, confirmer, tx: locked, chain, batch };
			const [told, now, jobs] = await Promise.all([
				confirmer.find(locked, batch),
				findCollections(locked, chain.id, contracts),
				metadataWanted(applying, known.values(), rows),
				addFigures(locked, chain.id, change),
			]);
			if (told.length > 0 || !areSameInRows(now, known) || rows.some(isPricedNow)) return false;
			if (jobs.length > 0) await options.queue.add(locked, jobs);
			for (const [topic, frames] of topics) options.outbox.append(locked, topic, frames);
			return true;
		};
	};
}

/**
 * Returns the jobs that read names and supplies of a batch's contracts, where those may have
 * changed, and symbols of coins. New collections get theirs when they are registered.
 */
async function metadataWanted(
	{ tx, chain, batch }: Omit<Applying, "confirmer">,
	known: Iterable<KnownCollection>,
	stored: readonly EventRow[],
): Promise<NewJob[]> {
	const minted = new Set<number>();
	if (batch.live)
		for (const { kind, collectionId } of stored) if (kind === "mint") minted.add(collectionId);
	for (const { id, isNew } of known) if (isNew) minted.delete(id);
	return [...supplyJobs(minted), ...(await currencyJobs(tx, chain, stored))];
}

/** Returns what changes by storing these rows and taking out those that are now confirmed. */
function summarizeChange(
	known: ReadonlyMap<Address, KnownCollection>,
	{ stored, confirmed }: Pick<AppliedChange, "stored" | "confirmed">,
): AppliedChange {
	const ids = new Set<number>();
	for (const { collectionId } of stored) ids.add(collectionId);
	for (const { collectionId } of confirmed) ids.add(collectionId);
	const touched = new Map<number, KnownCollection>();
	for (const collection of known.values()) {
		if (ids.has(collection.id)) touched.set(collection.id, collection);
	}
	const [minutes, collections] = [sumRollups(stored), collectionChanges(stored)];
	return { stored, confirmed, minutes, collections, touched };
}

/** Returns the contracts of a batch, each with its standard. */
function contractsOf(batch: Pick<NewEvents, "events">): Map<Address, "erc721" | "erc1155"> {
	const contracts = new Map<Address, "erc721" | "erc1155">();
	let last: Address | null = null;
	for (const { contract, standard } of batch.events) {
		if (contract !== last && !contracts.has(contract)) contracts.set(contract, standard);
		last = contract;
	}
	return contracts;
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
