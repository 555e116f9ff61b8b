/** How long after a floor went (sold, cancelled, expired) it is read again. */
export const FLOOR_AGAIN_MS = 60_000;
/** The pause after a limit that states none; and the longest that one may state. */
export const PAUSE_MS = 30_000;
export const PAUSE_MAX_MS = 600_000;
export const PROVIDER_PAGE = 200;
/** Collections whose failures in a row one process counts; beyond that the oldest is forgotten. */
export const FAILING_KEPT_MAX = 10_000;
