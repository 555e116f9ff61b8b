import type { Tx } from "#core/db/Database.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { countedIn } from "#plugins/market-index/rollup/countedIn.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { type MinuteKey, recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";
import { takeBackCollections } from "#plugins/market-index/sql/takeBackCollections.ts";

/** Which figures events had a part in. */
export type Repaired = { sold: Set<number>; minted: Set<number>; traded: MinuteKey[] };

/**
 * Makes the figures those of the events that are left, after these were taken out. Whatever was put
 * in beside them must be in the figures already: sums at their ceiling are made anew from events.
 */
export async function repairFigures(
	tx: Tx,
	chainId: number,
	gone: readonly TakenBack[],
): Promise<Repaired> {
	const counted = gone.filter(({ kind, accepted }) => accepted && kind !== "transfer");
	await recomputeRollups(tx, chainId, counted.map(minuteOf));
	await takeBackCollections(tx, collectionChanges(counted));
	const traded = counted.filter(({ kind }) => kind === "sale").map(minuteOf);
	return { ...countedIn(counted), traded };
}

function minuteOf({ collectionId, occurredAtMs }: TakenBack): MinuteKey {
	return { collectionId, bucketMs: bucketOf(occurredAtMs, TIERS[0].ms) };
}
