import type { Address } from "#core/chain/Hex.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import { areSame } from "#plugins/market-index/apply/areSame.ts";
import { metadataWanted } from "#plugins/market-index/apply/metadataWanted.ts";
import { rowsOf } from "#plugins/market-index/apply/rowsOf.ts";
import { summarizeChange } from "#plugins/market-index/apply/summarizeChange.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { batchFrames } from "#plugins/market-index/frames/batchFrames.ts";
import type { TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { findCollections } from "#plugins/market-index/sql/findCollections.ts";
import { insertEvents } from "#plugins/market-index/sql/insertEvents.ts";

/**
 * Applies a batch in one round trip, on assumptions that hold nearly always at the head of a chain:
 * its collections are as last seen, none of it is stored, and no provider told of it before. The
 * same round trip checks them, before the statements that depend on them; where one is wrong all is
 * rolled back: null.
 */
export async function applyInOneRoundTrip(
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
