/** How much two sources may differ about an event's time. */
export const MATCH_WINDOW_MS = 600_000;
