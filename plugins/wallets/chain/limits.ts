/** Calls that share one request, and such requests under way at once. */
export const SHARED_CALLS_MAX = 100;
export const SHARED_REQUESTS_AT_ONCE = 2;
/** A shared request that takes longer is given up, and each who shared it asks by itself. */
export const SHARED_ANSWER_TIMEOUT_MS = 2_000;
