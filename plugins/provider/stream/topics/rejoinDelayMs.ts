import { REJOIN_DELAYS_MS } from "#plugins/provider/stream/limits.ts";

const LONGEST_MS = REJOIN_DELAYS_MS[REJOIN_DELAYS_MS.length - 1] ?? 0;

/**
 * Returns how long to wait before a topic is joined again, in ms: the table's value, up to a
 * quarter less or more.
 */
export function rejoinDelayMs(attempt: number, random: () => number): number {
	return (REJOIN_DELAYS_MS[attempt] ?? LONGEST_MS) * (0.75 + random() / 2);
}
