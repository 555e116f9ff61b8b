import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { addFrames } from "#plugins/market-index/apply/addFrames.ts";
import type { TopicFrames } from "#plugins/market-index/apply/framesOf.ts";
import { type MovedFigures, tellFigures } from "#plugins/market-index/apply/tellFigures.ts";
import { collectionTopic } from "#plugins/market-index/contract.ts";
import type { MinuteKey } from "#plugins/market-index/sql/recomputeRollups.ts";

/**
 * The figures that are left. A minute whose sales were taken out, and that has none any more, is
 * told empty, and that it was taken back.
 */
export async function tellWhatIsLeft(
	tx: Tx,
	chain: Chain,
	topics: TopicFrames,
	moved: MovedFigures & { takenFrom: readonly MinuteKey[] },
): Promise<void> {
	const { takenFrom, ...figures } = moved;
	const left = new Map(takenFrom.map((minute) => [nameOf(minute), minute]));
	const others = moved.traded.filter((minute) => !left.has(nameOf(minute)));
	const traded = [...others, ...left.values()];
	for (const { collectionId, candle } of await tellFigures(tx, chain, topics, {
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

const NO_TRADES = { open: null, high: null, low: null, close: null, volumeNative: 0, sales: 0 };
