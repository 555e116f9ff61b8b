import { CONNECTS_PER_MINUTE_MAX, RECONNECT_DELAYS_MS } from "#plugins/provider/stream/limits.ts";

const LONGEST_MS = RECONNECT_DELAYS_MS[RECONNECT_DELAYS_MS.length - 1] ?? 0;

/**
 * Returns how long to wait before the socket is opened again, in ms: the table's value, up to a
 * quarter less or more, so that processes which lost the server together do not come back together.
 */
export function reconnectDelayMs(options: {
	/** Attempts since the server last answered. */
	attempt: number;
	connectsLastMinute: number;
	random: () => number;
}): number {
	const { attempt, connectsLastMinute, random } = options;
	const isStorm = connectsLastMinute >= CONNECTS_PER_MINUTE_MAX;
	const delayMs = isStorm ? LONGEST_MS : (RECONNECT_DELAYS_MS[attempt] ?? LONGEST_MS);
	return delayMs * (0.75 + random() / 2);
}
