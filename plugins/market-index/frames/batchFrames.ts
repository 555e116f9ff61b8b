// Makes the frames of a batch: events, figures and retractions.

import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import {
	foreignCurrencies,
	type KnownCollection,
} from "#plugins/market-index/event/MarketEvent.ts";
import { NO_SPANS, type SpansOf } from "#plugins/market-index/figures/coverage.ts";
import {
	type AppliedChange,
	addFrames,
	catchUpFrames,
	liveFrames,
	RETRACTIONS_PER_TOPIC_MAX,
	type TopicFrames,
} from "#plugins/market-index/frames/eventFrames.ts";
import { collectionTopic, discoverTopic, type NewEvents } from "#plugins/market-index/model.ts";
import { readDiscoverRows } from "#plugins/market-index/read/trending.ts";
import { type EventContext, renderEvent } from "#plugins/market-index/render/event.ts";
import type { Rollup } from "#plugins/market-index/rollup/rollups.ts";
import { bucketOf, type Candle, countedIn, TIERS } from "#plugins/market-index/rollup/windows.ts";
import { readCurrencies } from "#plugins/market-index/sql/collectionNames.ts";
import type { TakenBack } from "#plugins/market-index/sql/events.ts";
import type { MinuteKey } from "#plugins/market-index/sql/recomputeRollups.ts";
import { readCandleUpdates } from "#plugins/market-index/sql/windowSums.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type MovedFigures = {
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
	/** Returns what the chain's lanes cover now. */
	spansOf: SpansOf;
};

type FrameContext = {
	clock: Clock;
	prices: Pick<Prices, "ethUsd">;
	/** Returns what a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
};

const NO_TRADES = {
	...{ open: null, high: null, low: null, close: null },
	...{ volumeNative: 0, volumeRaw: "0", volumeCurrency: nativeCurrency },
	sales: 0,
};

/** Returns the frames of a batch. Figures are read as the statements before left them. */
export async function batchFrames(
	{
		options,
		tx,
		chain,
		batch,
	}: {
		options: FrameContext;
		tx: Tx;
		chain: Chain;
		batch: Pick<NewEvents, "live" | "isHistory">;
	},
	change: AppliedChange,
): Promise<TopicFrames> {
	if (batch.live) return liveBatchFrames(options, tx, chain, change);
	if (batch.isHistory) return historyFrames(options, tx, chain, change);
	return catchUpFrames(chain, change.touched.values());
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
 * Returns the frames of a reorg: each removed event, as it was sent before, with `retracted`. A
 * topic with too many gets one `snapshot_required` in their place.
 */
export function retractionFrames(options: {
	chain: Chain;
	events: readonly TakenBack[];
	collections: ReadonlyMap<number, Pick<KnownCollection, "slug" | "name" | "imageUrl">>;
	shown: EventContext;
}): TopicFrames {
	const { chain, events, collections, shown } = options;
	const topics: TopicFrames = new Map();
	const add = (topic: string, type: string, data: unknown) => {
		const list = topics.get(topic) ?? [];
		topics.set(topic, list);
		list.push({ type, data });
	};
	for (const event of events) {
		const data = { ...renderEvent(chain, event, shown), retracted: true };
		add(collectionTopic(chain.slug, event.contract), "market_event", data);
		const collection = collections.get(event.collectionId);
		if (event.kind !== "mint" || !event.accepted || !collection) continue;
		const { slug, name, imageUrl } = collection;
		const row = { ...data, collection: { slug, name, imageUrl } };
		add(discoverTopic(chain.slug), "discover_row", { section: "mints", row });
	}
	for (const [topic, frames] of topics) {
		if (frames.length <= RETRACTIONS_PER_TOPIC_MAX) continue;
		topics.set(topic, [{ type: "snapshot_required", data: { reason: "reorg" } }]);
	}
	return topics;
}

/**
 * Returns frames of the events one by one, then of the figures that they changed. What the provider
 * had reported of them before is retracted first: it had another id, and no block.
 */
async function liveBatchFrames(
	options: FrameContext,
	tx: Tx,
	chain: Chain,
	{ stored, confirmed, minutes, touched }: AppliedChange,
): Promise<TopicFrames> {
	const figures: TopicFrames = new Map();
	const added = addRemainingFigures(tx, chain, figures, {
		collections: touched,
		// Also minutes whose new sales have no price: an existing candle counts them.
		traded: minutes.filter(({ sales }) => sales > 0),
		takenFrom: minutesOf(confirmed),
		...countedIn([...stored, ...confirmed]),
		nowMs: options.clock.nowMs(),
		spansOf: options.spansOf,
	});
	added.catch(() => {});
	const paidIn = foreignCurrencies([...stored, ...confirmed]);
	const currencies = await readCurrencies(tx, chain.id, paidIn);
	const shown = { currencies, prices: options.prices };
	const gone = { chain, events: confirmed, collections: touched, shown };
	const topics = retractionFrames(gone);
	addFrames(topics, liveFrames({ chain, events: stored, collections: touched, shown }));
	await added;
	addFrames(topics, figures);
	return topics;
}

function minutesOf(events: readonly TakenBack[]) {
	const sales = events.filter(({ kind, accepted }) => kind === "sale" && accepted);
	return sales.map(({ collectionId, occurredAtMs }) => ({
		collectionId,
		bucketMs: bucketOf(occurredAtMs, TIERS[0].ms),
	}));
}

/**
 * Returns the frames of a provider's history of collections: their subscribers read them again.
 * Discover gets the rows that moved: it need not read all again for one collection's history.
 */
async function historyFrames(
	options: FrameContext,
	tx: Tx,
	chain: Chain,
	{ stored, confirmed, touched }: AppliedChange,
): Promise<TopicFrames> {
	const topics: TopicFrames = new Map();
	for (const { address } of touched.values()) {
		const data = { reason: "catching_up" };
		topics.set(collectionTopic(chain.slug, address), [{ type: "snapshot_required", data }]);
	}
	await addFigureFrames(tx, chain, topics, {
		collections: touched,
		traded: [],
		...countedIn([...stored, ...confirmed]),
		nowMs: options.clock.nowMs(),
		spansOf: options.spansOf,
	});
	return topics;
}

function nameOf({ collectionId, bucketMs }: MinuteKey): string {
	return `${collectionId}:${new Date(bucketMs).toISOString()}`;
}
