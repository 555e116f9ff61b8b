import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time/units.ts";

/** What feeds said is asked again after so long, by whoever wants to know it then. */
export const SNAPSHOT_MS = 5_000;
/** How long one reading of all feeds may take. */
export const SNAPSHOT_TIMEOUT_MS = 4_000;

/** A feed of stocks speaks once a day at least while its market is open; an hour is allowed. */
export const HEARTBEAT_MS = DAY_MS + HOUR_MS;

/** After a market opens feeds speak one after the other. */
export const OPENING_MS = 15 * MINUTE_MS;

/** So many other feeds are a cohort, which can say that one of them is silent. */
export const COHORT_MIN = 2;

export const FEED_SILENT_SECONDS_DEFAULT = 3 * 3_600;
