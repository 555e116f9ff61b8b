/** How far from free a node is: what is left out costs nothing and has no limit. */
export type NodeLimits = {
	/** Of a round trip. */
	delayMs?: number;
	/** HTTP requests; what is above is refused with a 429. */
	requestsPerSecond?: number;
	/** JSON-RPC calls, each of a batch counted: what providers bill. */
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

/** The calls of a request's body, which our own service wrote. */
export function callsOf(body: string): { method: string }[] {
	return [JSON.parse(body)].flat();
}
