import type { Tx } from "#core/db/Database.ts";
import { isSqlState } from "#core/db/isSqlState.ts";
import { assert } from "#core/fault/assert.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import { areSameInRows } from "#plugins/market-index/apply/areSameInRows.ts";
import { contractsOf } from "#plugins/market-index/apply/contractsOf.ts";
import type { ApplierOptions } from "#plugins/market-index/apply/createApplier.ts";
import { metadataWanted } from "#plugins/market-index/apply/metadataWanted.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { summarizeChange } from "#plugins/market-index/apply/summarizeChange.ts";
import { timesOf } from "#plugins/market-index/apply/timesOf.ts";
import { createConfirmer } from "#plugins/market-index/confirm/createConfirmer.ts";
import type { NewEvents } from "#plugins/market-index/contract.ts";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import { catchUpFrames } from "#plugins/market-index/frames/eventFrames.ts";
import { nativeTotal } from "#plugins/market-index/rollup/nativeTotal.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { copyEvents } from "#plugins/market-index/sql/copyEvents.ts";
import { findCollections } from "#plugins/market-index/sql/findCollections.ts";
import { COPY_ROWS_MIN } from "#plugins/market-index/sql/limits.ts";

type Early = (tx: Tx, batch: NewEvents) => Promise<((tx: Tx) => Promise<boolean>) | null>;

export type EarlyOptions = ApplierOptions & {
	/** A smaller batch is left to the applier, which is fast with it. */
	rowsMin?: number;
};

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
