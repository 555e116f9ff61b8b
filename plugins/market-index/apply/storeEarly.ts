import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import { collectionChanges } from "#plugins/market-index/apply/collectionChanges.ts";
import { contractsOf } from "#plugins/market-index/apply/contractsOf.ts";
import type { ApplierOptions } from "#plugins/market-index/apply/createApplier.ts";
import type { EventRow } from "#plugins/market-index/apply/EventRow.ts";
import { catchUpFrames } from "#plugins/market-index/apply/framesOf.ts";
import { nativeTotal } from "#plugins/market-index/apply/nativeTotal.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { sumRollups } from "#plugins/market-index/apply/sumRollups.ts";
import { touchedCollections } from "#plugins/market-index/apply/touchedCollections.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";
import { currencyJobs } from "#plugins/market-index/jobs/metadataJobs.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/limits.ts";
import { type Confirmer, createConfirmer } from "#plugins/market-index/merge/createConfirmer.ts";
import { copyEvents } from "#plugins/market-index/sql/copyEvents.ts";
import { findCollections } from "#plugins/market-index/sql/findCollections.ts";
import { isUniqueViolation } from "#plugins/market-index/sql/isUniqueViolation.ts";
import { updateCollections } from "#plugins/market-index/sql/updateCollections.ts";
import { upsertRollups } from "#plugins/market-index/sql/upsertRollups.ts";

type Early = (tx: Tx, batch: NewEvents) => Promise<((tx: Tx) => Promise<boolean>) | null>;
type Known = Awaited<ReturnType<typeof findCollections>>;

export type EarlyOptions = ApplierOptions & {
	/** A smaller batch is left to the applier, which is quick with it. */
	rowsMin?: number;
};

/**
 * Copies a large batch's events in before the chain's lock is held: they are most of the work, and
 * nobody else's rows. What others touch too (figures, collections, frames) is worked out meanwhile
 * and written under the lock, in one round trip.
 *
 * For the ordinary case only, in which every collection is known, no event is stored already and
 * the provider told none of them before. That is looked at again under the lock, as is whether a
 * price became known meanwhile; else the batch is applied anew.
 */
export function storeEarly(options: EarlyOptions): Early {
	const { rowsMin = COPY_ROWS_MIN } = options;
	const confirmer = createConfirmer({ hasProvider: options.hasProvider ?? true });
	return async (tx, batch) => {
		if (batch.events.length < rowsMin) return null;
		const chain = options.chains.byId(batch.chainId);
		assert(chain, `a batch of chain ${batch.chainId}, which has no definition`);
		await options.partitions.ensure(new Set(batch.events.map((event) => event.occurredAtMs)));
		const contracts = [...contractsOf(batch).keys()];
		const known = await findCollections(tx, chain.id, contracts);
		if (known.size < contracts.length) return null;
		const rows = rowsOf(chain, batch, { known, prices: options.prices });
		try {
			await copyEvents(tx, chain.id, rows);
		} catch (error) {
			if (isUniqueViolation(error)) return async () => false;
			throw error;
		}
		const rollups = sumRollups(rows);
		const changes = collectionChanges(rows);
		const topics = catchUpFrames(chain, touchedCollections(known, rows).values());
		// Whoever prices what had no price goes through stored rows, and did not see these.
		const isPricedNow = (row: EventRow) =>
			row.totalNative === null && nativeTotal(chain, row, options.prices) !== null;
		return async (locked) => {
			const [isAsPlanned, jobs] = await Promise.all([
				isUnchanged({ tx: locked, chain, confirmer }, batch, known),
				currencyJobs(locked, chain, rows),
				upsertRollups(locked, chain.id, rollups),
				updateCollections(locked, changes),
			]);
			if (!isAsPlanned || rows.some(isPricedNow)) return false;
			if (jobs.length > 0) await options.queue.add(locked, jobs);
			for (const [topic, frames] of topics) options.outbox.append(locked, topic, frames);
			return true;
		};
	};
}

/** Whether what the rows were made with still holds, now that nobody can change it any more. */
async function isUnchanged(
	{ tx, chain, confirmer }: { tx: Tx; chain: Chain; confirmer: Confirmer },
	batch: NewEvents,
	known: Known,
): Promise<boolean> {
	const [told, now] = await Promise.all([
		confirmer.find(tx, batch),
		findCollections(tx, chain.id, known.keys()),
	]);
	if (told.length > 0) return false;
	return [...known.values()].every(({ address, id, excluded }) => {
		const same = now.get(address);
		return same?.id === id && same.excluded === excluded;
	});
}
