import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { bucketOf, TIERS } from "#plugins/market-index/apply/bucketOf.ts";
import { collectionChanges } from "#plugins/market-index/apply/collectionChanges.ts";
import { catchUpFrames, type TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { tellFigures } from "#plugins/market-index/apply/tellFigures.ts";
import { REPRICE_TOLD_MAX } from "#plugins/market-index/limits.ts";
import { priceCollections } from "#plugins/market-index/reprice/sql/priceCollections.ts";
import { type PricedEvent, priceEvents } from "#plugins/market-index/reprice/sql/priceEvents.ts";
import type { UnpricedEvent } from "#plugins/market-index/reprice/UnpricedEvent.ts";
import { readCollectionNames } from "#plugins/market-index/sql/readCollectionNames.ts";
import { recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";

export type RepriceOptions = {
	db: Database;
	clock: Clock;
	outbox: Outbox;
	scanner: Pick<Scanner, "lock">;
};

/**
 * Gives a few events their price with all that follows from it, under the chain's lock: afterwards
 * the figures are those of events that were priced when they were stored, and streams say what
 * moved. An event that has a price keeps it.
 */
export async function repricePart(
	{ db, clock, outbox, scanner }: RepriceOptions,
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
		const topics = await framesOf(tx, chain, { sales, nowMs: clock.nowMs() });
		for (const [topic, frames] of topics) outbox.append(tx, topic, frames);
	});
}

async function framesOf(
	tx: Tx,
	chain: Chain,
	{ sales, nowMs }: { sales: readonly PricedEvent[]; nowMs: number },
): Promise<TopicFrames> {
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
	await tellFigures(tx, chain, topics, { collections, traded, sold, minted: new Set(), nowMs });
	return topics;
}

function minuteOf({ collectionId, occurredAtMs }: PricedEvent) {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}
