import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import { bucketOf, TIERS } from "#plugins/market-index/apply/bucketOf.ts";
import { collectionChanges } from "#plugins/market-index/apply/collectionChanges.ts";
import { foreignCurrencies } from "#plugins/market-index/apply/foreignCurrencies.ts";
import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { retractionFrames } from "#plugins/market-index/apply/retractionFrames.ts";
import { tellFigures } from "#plugins/market-index/apply/tellFigures.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";
import { supplyJobs } from "#plugins/market-index/jobs/metadataJobs.ts";
import { deleteEventsAbove, type TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { dropEmptyCollections } from "#plugins/market-index/sql/dropEmptyCollections.ts";
import { readCollectionNames } from "#plugins/market-index/sql/readCollectionNames.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import { type MinuteKey, recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";
import type { KnownCollection } from "#plugins/market-index/sql/resolveCollections.ts";
import { takeBackCollections } from "#plugins/market-index/sql/takeBackCollections.ts";

export type ReverterOptions = {
	chains: ChainRegistry;
	outbox: Outbox;
	queue: JobQueue;
	clock: Clock;
};

/** Takes back what left the chain with all that followed from it, in the caller's transaction. */
export type Reverter = (tx: Tx, reorg: Reorg) => Promise<void>;

/**
 * The applier's counterpart: afterwards the figures are those of the events that are left, as if
 * the others had never been, and streams say what was taken back.
 */
export function createReverter(options: ReverterOptions): Reverter {
	return async (tx, reorg) => {
		const chain = options.chains.byId(reorg.chainId);
		assert(chain, `a fork of chain ${reorg.chainId}, which has no definition`);
		const gone = await deleteEventsAbove(tx, reorg);
		if (gone.length === 0) return;
		const ids = [...new Set(gone.map(({ collectionId }) => collectionId))];
		const collections = await readCollectionNames(tx, ids);
		const counted = gone.filter(({ kind, accepted }) => accepted && kind !== "transfer");
		const minutes = counted.map(minuteOf);
		await recomputeRollups(tx, chain.id, minutes);
		await takeBackCollections(tx, collectionChanges(counted));
		const dropped = await dropEmptyCollections(tx, ids);
		const minted = idsOf(counted, "mint", dropped);
		await options.queue.add(tx, supplyJobs(minted));

		const currencies = await readCurrencies(tx, chain.id, foreignCurrencies(gone));
		const topics = retractionFrames({ chain, events: gone, collections, currencies });
		await tellRest(tx, chain, topics, {
			collections,
			traded: counted.filter(({ kind }) => kind === "sale").map(minuteOf),
			sold: idsOf(counted, "sale", dropped),
			minted,
			nowMs: options.clock.nowMs(),
		});
		for (const [topic, frames] of topics) options.outbox.append(tx, topic, frames);
	};
}

function minuteOf({ collectionId, occurredAtMs }: TakenBack): MinuteKey {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}

function idsOf(
	events: readonly TakenBack[],
	kind: TakenBack["kind"],
	dropped: ReadonlySet<number>,
): Set<number> {
	const ids = new Set<number>();
	for (const event of events) {
		if (event.kind === kind && !dropped.has(event.collectionId)) ids.add(event.collectionId);
	}
	return ids;
}

/** The figures that are left; a minute without any is told empty, and that it was taken back. */
async function tellRest(
	tx: Tx,
	chain: Chain,
	topics: TopicFrames,
	moved: {
		collections: ReadonlyMap<number, KnownCollection>;
		traded: readonly MinuteKey[];
		sold: ReadonlySet<number>;
		minted: ReadonlySet<number>;
		nowMs: number;
	},
): Promise<void> {
	const minutes = new Map(
		moved.traded.map((key) => [`${key.collectionId}:${new Date(key.bucketMs).toISOString()}`, key]),
	);
	const traded = [...minutes.values()];
	for (const { collectionId, candle } of await tellFigures(tx, chain, topics, {
		...moved,
		traded,
	})) {
		minutes.delete(`${collectionId}:${candle.openTime}`);
	}
	for (const { collectionId, bucketMs } of minutes.values()) {
		const collection = moved.collections.get(collectionId);
		if (!collection) continue;
		const topic = collectionTopic(chain.slug, collection.address);
		const list = topics.get(topic) ?? [];
		topics.set(topic, list);
		const openTime = new Date(bucketMs).toISOString();
		const candle = { openTime, ...NO_TRADES };
		list.push({ type: "candle_update", data: { interval: "1m", candle, retracted: true } });
	}
}

const NO_TRADES = { open: null, high: null, low: null, close: null, volumeNative: 0, sales: 0 };
