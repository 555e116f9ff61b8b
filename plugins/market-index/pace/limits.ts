/** One whose floor went (sold, cancelled, over) is asked about again, this long after it was. */
export const FLOOR_AGAIN_MS = 60_000;
/** After a limit that names no time; and the longest that one may name. */
export const PAUSE_MS = 30_000;
export const PAUSE_MAX_MS = 600_000;
export const PROVIDER_PAGE = 200;
/** Collections whose failures in a row one process counts; of more the oldest is forgotten. */
export const FAILING_KEPT_MAX = 10_000;
