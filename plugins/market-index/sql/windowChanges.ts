// Reads what collections sold since each of several times, for the changes that rows of lists show.

import type { Queryable } from "#core/db/Database.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { bucketOf, TIERS, WINDOW_MS } from "#plugins/market-index/rollup/windows.ts";

/** The windows of which rows of lists show a change, by their names in answers. */
export const CHANGE_WINDOWS = ["5m", "1h", "6h", "24h", "7d"] as const;

export type ChangeWindow = (typeof CHANGE_WINDOWS)[number];

/** Holds a window's accepted sales and those of as long before it; volumes in wei. */
export type WindowPair = {
	volume: bigint;
	before: bigint;
	/** Sales of both without a price. */
	unpriced: number;
};

/**
 * A stretch between a time and the nearest whole hour, or between that and the nearest midnight; it
 * is subtracted where the coarser rollups begin before it.
 */
type Cut = { from: Date; until: Date; sign: 1 | -1 };

type Row = { id: number; volumes: string[]; unpriced: string[] };

const [MINUTES, HOURS, DAYS] = TIERS;

/** Returns the start of a window, or of twice its length: a whole minute, as of all windows. */
export function windowStartMs(nowMs: number, window: ChangeWindow, times: 1 | 2): number {
	return bucketOf(nowMs - times * WINDOW_MS[window], MINUTE_MS);
}

/**
 * Returns the sales of each window, and of as long before it, for each of some collections.
 *
 * By the rollups' primary keys: ten times for each collection the half hour and the half day at the
 * edge, and the days since, whatever its number of sales (as `sumsSince`). In ranges, and in one
 * text for all times, so that its plan is kept.
 */
export async function readWindowPairs(
	db: Queryable,
	collectionIds: readonly number[],
	nowMs: number,
): Promise<ReadonlyMap<number, Readonly<Record<ChangeWindow, WindowPair>>>> {
	if (collectionIds.length === 0) return new Map();
	const starts = CHANGE_WINDOWS.flatMap((window) => [
		windowStartMs(nowMs, window, 1),
		windowStartMs(nowMs, window, 2),
	]);
	const hours = starts.map((ms) => nearest(ms, HOUR_MS));
	const days = hours.map((ms) => nearest(ms, DAY_MS));
	const ofMinutes = starts.map((ms, index) => cut(ms, hours[index] ?? ms));
	const ofHours = hours.map((ms, index) => cut(ms, days[index] ?? ms));
	const sums = (table: string, range: string) => `select sum(volume) as volume,
				sum(sales - priced) as unpriced
			from market_index.${table} where collection_id = given.id and ${range}`;
	const rows = await db.query<Row>(
		`select given.id, sums.volumes, sums.unpriced
		from unnest($1::int4[]) as given (id) cross join lateral (
			select array_agg((coalesce(minutes.volume, 0) * edge.minutes_sign
					+ coalesce(hours.volume, 0) * edge.hours_sign
					+ coalesce(days.volume, 0))::text order by edge.place) as volumes,
				array_agg((coalesce(minutes.unpriced, 0) * edge.minutes_sign
					+ coalesce(hours.unpriced, 0) * edge.hours_sign
					+ coalesce(days.unpriced, 0))::text order by edge.place) as unpriced
			from unnest($2::timestamptz[], $3::timestamptz[], $4::int4[], $5::timestamptz[],
				$6::timestamptz[], $7::int4[], $8::timestamptz[]) with ordinality as edge (
				minutes_from, minutes_until, minutes_sign, hours_from, hours_until, hours_sign,
				days_from, place
			)
			cross join lateral (${sums(
				MINUTES.table,
				"bucket >= edge.minutes_from and bucket < edge.minutes_until",
			)}) as minutes
			cross join lateral (${sums(
				HOURS.table,
				"bucket >= edge.hours_from and bucket < edge.hours_until",
			)}) as hours
			cross join lateral (${sums(
				DAYS.table,
				"bucket >= edge.days_from and bucket < 'infinity'",
			)}) as days
		) as sums`,
		[
			collectionIds,
			...[ofMinutes, ofHours].flatMap((cuts) => [
				cuts.map(({ from }) => from),
				cuts.map(({ until }) => until),
				cuts.map(({ sign }) => sign),
			]),
			days.map((ms) => new Date(ms)),
		],
	);
	return new Map(rows.map((row) => [row.id, pairsOf(row)]));
}

function pairsOf({ volumes, unpriced }: Row): Record<ChangeWindow, WindowPair> {
	const pair = (index: number): WindowPair => {
		const volume = BigInt(volumes[2 * index] ?? 0);
		const both = BigInt(volumes[2 * index + 1] ?? 0);
		return { volume, before: both - volume, unpriced: Number(unpriced[2 * index + 1] ?? 0) };
	};
	return { "5m": pair(0), "1h": pair(1), "6h": pair(2), "24h": pair(3), "7d": pair(4) };
}

function nearest(ms: number, stepMs: number): number {
	return bucketOf(ms + stepMs / 2, stepMs);
}

function cut(ms: number, coarserMs: number): Cut {
	const [from, until] = [new Date(Math.min(ms, coarserMs)), new Date(Math.max(ms, coarserMs))];
	return { from, until, sign: ms <= coarserMs ? 1 : -1 };
}
