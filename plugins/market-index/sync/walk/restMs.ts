import { TURN_REST_MAX_MS, TURN_REST_MS } from "#plugins/market-index/sync/limits.ts";

/** How long a walk rests after so many turns in a row that brought nothing, and one more. */
export function restMs(failures: number): number {
	return Math.min(TURN_REST_MS * 2 ** Math.min(Math.max(failures, 0), 10), TURN_REST_MAX_MS);
}
