import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { collectionTopic, discoverTopic } from "#plugins/market-index/contract.ts";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { NO_SPANS } from "#plugins/market-index/figures/ChainSpans.ts";
import type { SpansOf } from "#plugins/market-index/figures/createSpanMemory.ts";
import { addFrames, type TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { readDiscoverRows } from "#plugins/market-index/read/readDiscoverRows.ts";
import type { Candle } from "#plugins/market-index/rollup/Candle.ts";
import type { Rollup } from "#plugins/market-index/rollup/Rollup.ts";
import { readCandleUpdates } from "#plugins/market-index/sql/readCandleUpdates.ts";
import type { MinuteKey } from "#plugins/market-index/sql/recomputeRollups.ts";

export type MovedFigures = {
	collections: ReadonlyMap<number, Pick<KnownCollection, "address">>;
	/** The minutes (with their collection) in which sales were added or removed. */
	traded: readonly Pick<Rollup, "collectionId" | "bucketMs">[];
	/**
	 * Ids of collections whose sales changed (their row in discover's `market`), and whose mints
	 * changed (their row in `minting`).
	 */
	sold: ReadonlySet<number>;
	minted: ReadonlySet<number>;
	nowMs: number;
	/** What the chain's lanes cover now. */
	spansOf: SpansOf;
};

/** Adds a frame with the present value of each changed figure; returns the changed candles. */
export async function addFigureFrames(
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
	// One read for each section, as a row does not contain its id: slugs may change. A lane's batch
	// has only mints or only sales, so one of the two is empty.
	const { nowMs, sold, minted } = moved;
	const spans = sold.size + minted.size > 0 ? moved.spansOf(tx, chain.id) : NO_SPANS;
	const [candles, market, minting] = await Promise.all([
		readCandleUpdates(tx, moved.traded),
		readDiscoverRows(tx, chain, [...sold], { nowMs, spans }),
		readDiscoverRows(tx, chain, [...minted], { nowMs, spans }),
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

/**
 * Adds the frames of figures that may have lost events (`takenFrom`). A minute without a sale left
 * is sent empty, as retracted.
 */
export async function addRemainingFigures(
	tx: Tx,
	chain: Chain,
	topics: TopicFrames,
	moved: MovedFigures & { takenFrom: readonly MinuteKey[] },
): Promise<void> {
	const { takenFrom, ...figures } = moved;
	const left = new Map(takenFrom.map((minute) => [nameOf(minute), minute]));
	const others = moved.traded.filter((minute) => !left.has(nameOf(minute)));
	const traded = [...others, ...left.values()];
	for (const { collectionId, candle } of await addFigureFrames(tx, chain, topics, {
		...figures,
		traded,
	})) {
		left.delete(`${collectionId}:${candle.openTime}`);
	}
	for (const { collectionId, bucketMs } of left.values()) {
		const collection = moved.collections.get(collectionId);
		if (!collection) continue;
		const topic = collectionTopic(chain.slug, collection.address);
		const openTime = new Date(bucketMs).toISOString();
		const candle = { openTime, ...NO_TRADES };
		const data = { interval: "1m", candle, retracted: true };
		addFrames(topics, new Map([[topic, [{ type: "candle_update", data }]]]));
	}
}

function nameOf({ collectionId, bucketMs }: MinuteKey): string {
	return `${collectionId}:${new Date(bucketMs).toISOString()}`;
}

const NO_TRADES = {
	...{ open: null, high: null, low: null, close: null },
	...{ volumeNative: 0, volumeRaw: "0", volumeCurrency: nativeCurrency },
	sales: 0,
};
