import { TURN_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Returns SQL that tells whether nobody has the turn of a sync: `$2` is now, `$3` the end of a
 * turn that begins now. A turn that ends more than a turn's length after `$3` was given before the
 * clock was set back: it is nobody's. Less than that is the difference between the clocks of two
 * processes.
 */
export function isFree(sync: string): string {
	return `(${sync}.turn_until is null or ${sync}.turn_until <= $2
		or ${sync}.turn_until > $3::timestamptz + interval '${TURN_MS} ms')`;
}
