import { REJOIN_DELAYS_MS } from "#plugins/provider/stream/limits.ts";

const LONGEST_MS = REJOIN_DELAYS_MS[REJOIN_DELAYS_MS.length - 1] ?? 0;

/** How long a topic rests before it is joined again, a quarter less or more than the table says. */
export function rejoinDelayMs(attempt: number, random: () => number): number {
	return (REJOIN_DELAYS_MS[attempt] ?? LONGEST_MS) * (0.75 + random() / 2);
}
