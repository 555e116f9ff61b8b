import { TURN_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Returns SQL that says whether the turn of a sync is free: `$2` is now, `$3` the end of a turn
 * that begins now. A turn that ends more than a turn's length after `$3` was claimed before the
 * clock was set back, and does not count. A smaller difference is that of two processes' clocks.
 */
export function isFree(sync: string): string {
	return `(${sync}.turn_until is null or ${sync}.turn_until <= $2
		or ${sync}.turn_until > $3::timestamptz + interval '${TURN_MS} ms')`;
}
