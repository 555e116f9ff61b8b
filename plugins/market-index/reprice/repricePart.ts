import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { SpansOf } from "#plugins/market-index/figures/createSpanMemory.ts";
import { catchUpFrames } from "#plugins/market-index/frames/eventFrames.ts";
import { addFigureFrames } from "#plugins/market-index/frames/figureFrames.ts";
import type { TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { REPRICE_TOLD_MAX } from "#plugins/market-index/reprice/limits.ts";
import { priceCollections } from "#plugins/market-index/reprice/sql/priceCollections.ts";
import { type PricedEvent, priceEvents } from "#plugins/market-index/reprice/sql/priceEvents.ts";
import type { UnpricedEvent } from "#plugins/market-index/reprice/UnpricedEvent.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { readCollectionNames } from "#plugins/market-index/sql/readCollectionNames.ts";
import { recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";

export type RepriceOptions = {
	db: Database;
	clock: Clock;
	outbox: Outbox;
	scanner: Pick<Scanner, "lock">;
	/** What a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
};

/**
 * Gives a few events their price with all that follows from it, under the chain's lock: after it
 * the figures are as if the events had been priced when stored, and streams report what moved. An
 * event with a price keeps it.
 */
export async function repricePart(
	{ db, clock, outbox, scanner, spansOf }: RepriceOptions,
	chain: Chain,
	given: readonly (UnpricedEvent & { totalNative: bigint })[],
): Promise<void> {
	if (given.length === 0) return;
	await db.transaction(async (tx) => {
		await scanner.lock(tx, chain.id);
		const priced = await priceEvents(tx, chain.id, given);
		const sales = priced.filter(({ kind, accepted }) => accepted && kind === "sale");
		if (sales.length === 0) return;
		await Promise.all([
			recomputeRollups(tx, chain.id, sales.map(minuteOf)),
			priceCollections(tx, collectionChanges(sales)),
		]);
		const topics = await framesOf(tx, chain, { sales, nowMs: clock.nowMs(), spansOf });
		for (const [topic, frames] of topics) outbox.append(tx, topic, frames);
	});
}

async function framesOf(
	tx: Tx,
	chain: Chain,
	given: { sales: readonly PricedEvent[]; nowMs: number; spansOf: SpansOf },
): Promise<TopicFrames> {
	const { sales, ...moved } = given;
	const sold = new Set(sales.map(({ collectionId }) => collectionId));
	const collections = await readCollectionNames(tx, [...sold]);
	if (sales.length > REPRICE_TOLD_MAX) return catchUpFrames(chain, collections.values());
	const topics: TopicFrames = new Map();
	const minutes = new Map(
		sales.map((sale) => {
			const minute = minuteOf(sale);
			return [`${minute.collectionId}:${minute.bucketMs}`, minute];
		}),
	);
	const traded = [...minutes.values()];
	const minted = new Set<number>();
	await addFigureFrames(tx, chain, topics, { collections, traded, sold, minted, ...moved });
	return topics;
}

function minuteOf({ collectionId, occurredAtMs }: PricedEvent) {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}
