import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import { collectionTopic, type NewEvents } from "#plugins/market-index/contract.ts";
import { foreignCurrencies } from "#plugins/market-index/event/foreignCurrencies.ts";
import type { SpansOf } from "#plugins/market-index/figures/createSpanMemory.ts";
import type { AppliedChange } from "#plugins/market-index/frames/AppliedChange.ts";
import { catchUpFrames, liveFrames } from "#plugins/market-index/frames/eventFrames.ts";
import { addFigureFrames, addRemainingFigures } from "#plugins/market-index/frames/figureFrames.ts";
import { retractionFrames } from "#plugins/market-index/frames/retractionFrames.ts";
import { addFrames, type TopicFrames } from "#plugins/market-index/frames/TopicFrames.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { countedIn } from "#plugins/market-index/rollup/countedIn.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { readCurrencies } from "#plugins/market-index/sql/readCurrencies.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type FrameContext = {
	clock: Clock;
	prices: Pick<Prices, "ethUsd">;
	/** What a chain's lanes cover, for the figures in frames. */
	spansOf: SpansOf;
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
 * Returns events one by one, then the figures that they moved. What the provider had told of them
 * before is retracted first: it had another id, and no block.
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
