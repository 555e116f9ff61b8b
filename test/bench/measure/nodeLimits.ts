/** A node's delay and limits; what is left out has none. */
export type NodeLimits = {
	/** Milliseconds of a round trip. */
	delayMs?: number;
	/** HTTP requests; more are refused with a 429. */
	requestsPerSecond?: number;
	/** JSON-RPC calls, each of a batch counted, as providers bill them. */
	callsPerSecond?: number;
};

/**
 * Returns a function that says whether so many may pass now. One second's worth may come at once,
 * and more than that in one batch only when nothing was taken for a second.
 */
export function takesPerSecond(
	perSecond = Number.POSITIVE_INFINITY,
	nowMs: () => number = () => performance.now(),
): (count: number) => boolean {
	let left = perSecond;
	let atMs = nowMs();
	return (count) => {
		if (perSecond === Number.POSITIVE_INFINITY) return true;
		const ms = nowMs();
		left = Math.min(perSecond, left + ((ms - atMs) / 1_000) * perSecond);
		atMs = ms;
		if (left < Math.min(count, perSecond)) return false;
		left -= count;
		return true;
	};
}

/** Parses the calls of a request's body, which our own service wrote. */
export function callsOf(body: string): { method: string }[] {
	return [JSON.parse(body)].flat();
}
