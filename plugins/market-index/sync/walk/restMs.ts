import { TURN_REST_MAX_MS, TURN_REST_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Returns how long a walk rests after one more than so many turns in a row without a result, in ms.
 */
export function restMs(failures: number): number {
	return Math.min(TURN_REST_MS * 2 ** Math.min(Math.max(failures, 0), 10), TURN_REST_MAX_MS);
}
