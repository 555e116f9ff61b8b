import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time/units.ts";
import { bucketOf } from "#plugins/market-index/rollup/bucketOf.ts";

export const WINDOW_MS = {
	"5m": 5 * MINUTE_MS,
	"1h": HOUR_MS,
	"6h": 6 * HOUR_MS,
	"24h": DAY_MS,
	"7d": 7 * DAY_MS,
	"30d": 30 * DAY_MS,
} as const;

/** A stretch of time from `start` until now, cut where coarser rollups can take over. */
export type Window = {
	/** A whole minute. */
	start: Date;
	/** The first whole hour in it: minutes count before, hours after. */
	hours: Date;
	/** The first midnight (UTC) at or after `hours`: days count from here. */
	days: Date;
};

/**
 * Returns the last `lengthMs` before now, its start moved back to the whole minute.
 *
 * So the rollups give its figures exactly, and at any size of history a collection costs at most 59
 * minutes, 23 hours and the days. There is no upper end: a block from the near future counts.
 */
export function windowOf(nowMs: number, lengthMs: number): Window {
	const startMs = bucketOf(nowMs - lengthMs, MINUTE_MS);
	const hoursMs = ceil(startMs, HOUR_MS);
	return {
		start: new Date(startMs),
		hours: new Date(hoursMs),
		days: new Date(ceil(hoursMs, DAY_MS)),
	};
}

function ceil(atMs: number, stepMs: number): number {
	return Math.ceil(atMs / stepMs) * stepMs;
}
