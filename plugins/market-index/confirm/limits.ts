/** Two sources may differ by so much about when one event was. */
export const MATCH_WINDOW_MS = 600_000;
