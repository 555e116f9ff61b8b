import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import type { Rollup } from "#plugins/market-index/apply/Rollup.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/contract.ts";
import type { Candle } from "#plugins/market-index/render/Candle.ts";
import type { KnownCollection } from "#plugins/market-index/sql/findCollections.ts";
import { readCandleUpdates } from "#plugins/market-index/sql/readCandleUpdates.ts";
import { readDiscoverRows } from "#plugins/market-index/sql/readDiscoverRows.ts";

export type MovedFigures = {
	collections: ReadonlyMap<number, Pick<KnownCollection, "address">>;
	/** Minutes whose sales changed. */
	traded: readonly Pick<Rollup, "collectionId" | "bucketMs">[];
	/** Collections whose row in discover's `market` changed, and in `minting`. */
	sold: ReadonlySet<number>;
	minted: ReadonlySet<number>;
	nowMs: number;
};

/** Adds the figures that moved, as they stand now, to what a batch tells its subscribers. */
export async function tellFigures(
	tx: Tx,
	chain: Chain,
	topics: TopicFrames,
	moved: MovedFigures,
): Promise<readonly { collectionId: number; candle: Candle }[]> {
	const push = (topic: string, type: string, data: unknown) => {
		const list = topics.get(topic) ?? [];
		topics.set(topic, list);
		list.push({ type, data });
	};
	// One read a section, as a row does not tell its id: slugs change under us. A lane's batch has
	// only mints or only sales, so one of the two is empty.
	const [candles, market, minting] = await Promise.all([
		readCandleUpdates(tx, moved.traded),
		readDiscoverRows(tx, chain, [...moved.sold], moved.nowMs),
		readDiscoverRows(tx, chain, [...moved.minted], moved.nowMs),
	]);
	for (const { collectionId, candle } of candles) {
		const collection = moved.collections.get(collectionId);
		if (!collection) continue;
		const topic = collectionTopic(chain.slug, collection.address);
		push(topic, "candle_update", { interval: "1m", candle });
	}
	const topic = discoverTopic(chain.slug);
	for (const row of market) push(topic, "discover_row", { section: "market", row });
	for (const row of minting) push(topic, "discover_row", { section: "minting", row });
	return candles;
}
