import { bucketOf } from "#plugins/market-index/apply/bucketOf.ts";
import type { Window } from "#plugins/market-index/read/windowOf.ts";
import type { Binder } from "#plugins/market-index/sql/Binder.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Rows of one collection whose sums are those of a window: `sales`, `volume`, `mints`.
 *
 * A window's edge is cut at the nearest whole hour and day, to either side: what that takes in too
 * much is there once more, negative. So however busy a collection is, it costs at most 30 minutes,
 * 12 hours and the days. By the rollups' primary keys; `collectionId` is an SQL expression.
 */
export function sumsSince(binder: Binder, window: Window, collectionId: string): string {
	const start = window.start;
	const hours = nearest(start, HOUR_MS);
	const days = nearest(hours, DAY_MS);
	return [
		edge(binder, { table: "rollup_minute", from: start, to: hours, collectionId }),
		edge(binder, { table: "rollup_hour", from: hours, to: days, collectionId }),
		`select sales, volume, mints from market_index.rollup_day
			where collection_id = ${collectionId} and bucket >= ${binder.bind(days, "timestamptz")}`,
	].join("\nunion all ");
}

/** What lies between two cuts: to be added where the coarser tier begins later, else taken off. */
function edge(
	binder: Binder,
	{ table, from, to, collectionId }: { table: string; from: Date; to: Date; collectionId: string },
): string {
	const [low, high, sign] = from <= to ? [from, to, ""] : [to, from, "-"];
	return `select ${sign}sales as sales, ${sign}volume as volume, ${sign}mints as mints
			from market_index.${table}
			where collection_id = ${collectionId} and bucket >= ${binder.bind(low, "timestamptz")}
				and bucket < ${binder.bind(high, "timestamptz")}`;
}

function nearest(at: Date, stepMs: number): Date {
	return new Date(bucketOf(at.getTime() + stepMs / 2, stepMs));
}
