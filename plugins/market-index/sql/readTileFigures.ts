import type { Queryable } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { rollupsSince } from "#plugins/market-index/sql/rollupsSince.ts";

/** One collection's sales in 24 hours; amounts in wei, prices for one unit. */
export type TileSums = {
	units: string;
	volume: string;
	high: string | null;
	low: string | null;
	/** The middle price, or the mean of the two in the middle. */
	median: string | null;
	/** Volume of the 24 hours before those. */
	volumeBefore: string;
};

/**
 * Sums by the rollups' primary keys; the earlier day is two days less one. Only the median needs
 * the day's sales themselves, by `event_by_collection` (collection, kind, time).
 */
export async function readTileFigures(
	db: Queryable,
	collectionId: number,
	nowMs: number,
): Promise<TileSums> {
	const binder = createBinder();
	const id = binder.bind(collectionId, "int4");
	const ofCollection = `rollup.collection_id = ${id}`;
	const day = windowOf(nowMs, WINDOW_MS["24h"]);
	const twoDays = windowOf(nowMs, 2 * WINDOW_MS["24h"]);
	const since = binder.bind(day.start, "timestamptz");
	const rows = await db.query<TileSums>(
		`select day.*, two_days.volume - day.volume as "volumeBefore", middle.median
		from (
			select coalesce(sum(units), 0) as units, coalesce(sum(volume), 0) as volume,
				max(high) as high, min(low) as low
			from (${rollupsSince(binder, day, ofCollection)}) as rollup
		) as day, (
			select coalesce(sum(volume), 0) as volume
			from (${rollupsSince(binder, twoDays, ofCollection)}) as rollup
		) as two_days, (
			select div(percentile_disc(0.5) within group (order by price)
				+ percentile_disc(0.5) within group (order by price desc), 2) as median
			from (
				select div(total_native, quantity) as price from market_index.event
				where collection_id = ${id} and kind = ${binder.bind(EVENT_KIND.sale, "int2")}
					and occurred_at >= ${since} and accepted and total_native is not null
			) as sale
		) as middle`,
		binder.values,
	);
	return rows[0] ?? NOTHING;
}

const NOTHING: TileSums = {
	units: "0",
	volume: "0",
	high: null,
	low: null,
	median: null,
	volumeBefore: "0",
};
