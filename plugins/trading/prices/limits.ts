import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time/units.ts";

/** How long a reading of all feeds is used. */
export const SNAPSHOT_MS = 5_000;
/** From this age on a caller triggers the next reading, and does not wait for it. */
export const SNAPSHOT_AGAIN_MS = 2_500;
/** The time limit for one reading of all feeds. */
export const SNAPSHOT_TIMEOUT_MS = 4_000;

/** A stock feed updates at least once a day while its market is open; one hour is tolerance. */
export const HEARTBEAT_MS = DAY_MS + HOUR_MS;

/** After a market opens, feeds update one after the other within this time. */
export const OPENING_MS = 15 * MINUTE_MS;

/** How many other feeds make a cohort, which can prove that a feed is silent. */
export const COHORT_MIN = 2;

export const FEED_SILENT_SECONDS_DEFAULT = 3 * 3_600;
