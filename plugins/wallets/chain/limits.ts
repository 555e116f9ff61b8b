/** Calls that share one request, and such requests under way at once. */
export const SHARED_CALLS_MAX = 100;
export const SHARED_REQUESTS_AT_ONCE = 2;
