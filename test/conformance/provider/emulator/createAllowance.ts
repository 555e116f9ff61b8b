export type Taken = { isAllowed: boolean; headers: Record<string, string>; resetS: number };

export type Allowance = {
	/** One call more; says whether it is still within the window, and the documented headers. */
	take(): Taken;
	perMinute: number;
};

const WINDOW_MS = 60_000;

/**
 * The provider's own limit: so many calls in each 60 s that slide with the clock. `Reset` is when
 * the oldest call of the window is forgotten, in seconds as the document says.
 */
export function createAllowance(perMinute: number, nowMs: () => number): Allowance {
	let recent: number[] = [];
	const allowance: Allowance = {
		perMinute,
		take() {
			const now = nowMs();
			recent = recent.filter((atMs) => atMs > now - WINDOW_MS);
			const isAllowed = recent.length < allowance.perMinute;
			if (isAllowed) recent.push(now);
			const resetMs = (recent[0] ?? now) + WINDOW_MS;
			const resetS = Math.ceil(resetMs / 1_000);
			const remaining = Math.max(0, allowance.perMinute - recent.length);
			return {
				isAllowed,
				resetS,
				headers: {
					"x-ratelimit-limit": String(allowance.perMinute),
					"x-ratelimit-remaining": String(remaining),
					"x-ratelimit-reset": String(resetS),
				},
			};
		},
	};
	return allowance;
}
