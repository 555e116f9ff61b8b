import type { Tx } from "#core/db/Database.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { countedIn } from "#plugins/market-index/rollup/countedIn.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import { type MinuteKey, recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";
import { takeBackCollections } from "#plugins/market-index/sql/takeBackCollections.ts";

/** Which figures had events in them. */
export type Repaired = { sold: Set<number>; minted: Set<number>; traded: MinuteKey[] };

/**
 * Recomputes the figures after these events were removed. Events added meanwhile must be in the
 * figures already: sums at their ceiling are computed anew from events.
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
