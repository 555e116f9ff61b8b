import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import type { Window } from "#plugins/market-index/rollup/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";

const [MINUTES, HOURS, DAYS] = TIERS;

/**
 * Returns SQL for rows of one collection that add up to a window's sums: `sales`, `priced`,
 * `volume`, `mints`.
 *
 * A window's edge is cut at the nearest whole hour and day, to either side: the excess is
 * subtracted by negative rows. So however busy a collection is, it costs at most 30 minutes, 12
 * hours and the days. By the rollups' primary keys; `collectionId` is an SQL expression.
 *
 * The edge's buckets are named one by one, and the days have an end: for an open range PostgreSQL
 * took a kept plan of a large index for too expensive, and made a new one for each call, which was
 * a third of the time of a collection's page (0.6 of 2.3 ms, measured).
 */
export function sumsSince(binder: Binder, window: Window, collectionId: string): string {
	const start = window.start;
	const hours = nearest(start, HOURS.ms);
	const days = nearest(hours, DAYS.ms);
	return [
		edge(binder, { tier: MINUTES, from: start, to: hours, collectionId }),
		edge(binder, { tier: HOURS, from: hours, to: days, collectionId }),
		`select sales, priced, volume, mints from market_index.${DAYS.table}
			where collection_id = ${collectionId} and bucket >= ${binder.bind(days, "timestamptz")}
				and bucket < 'infinity'`,
	].join("\nunion all ");
}

type Edge = { tier: (typeof TIERS)[number]; from: Date; to: Date; collectionId: string };

/**
 * Returns the part between two cuts: added where the coarser tier begins later, else subtracted.
 */
function edge(binder: Binder, { tier, from, to, collectionId }: Edge): string {
	const [low, high, sign] = from <= to ? [from, to, ""] : [to, from, "-"];
	const buckets: Date[] = [];
	for (let at = low.getTime(); at < high.getTime(); at += tier.ms) buckets.push(new Date(at));
	return `select ${sign}sales as sales, ${sign}priced as priced, ${sign}volume as volume,
				${sign}mints as mints
			from market_index.${tier.table}
			where collection_id = ${collectionId}
				and bucket = any(${binder.bind(buckets, "timestamptz[]")})`;
}

function nearest(at: Date, stepMs: number): Date {
	return new Date(bucketOf(at.getTime() + stepMs / 2, stepMs));
}
