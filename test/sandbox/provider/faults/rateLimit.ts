import type { Clock } from "#core/clock/Clock.ts";

export type Bucket = "read" | "write" | "fulfillment";
/** Requests per window for each bucket; real keys have 600 reads an hour and 5 fills a minute. */
export type RateLimits = Record<Bucket, { limit: number; windowMs: number }>;

export type RateVerdict = { isAllowed: boolean; headers: Record<string, string> };

/** Makes a counter of requests in fixed windows, one per bucket, which also returns the headers. */
export function createRateLimit(
	limits: RateLimits,
	clock: Clock,
): { take(bucket: Bucket): RateVerdict } {
	const windows = new Map<Bucket, { startMs: number; used: number }>();
	return {
		take(bucket) {
			const { limit, windowMs } = limits[bucket];
			const nowMs = clock.nowMs();
			let window = windows.get(bucket);
			if (!window || nowMs >= window.startMs + windowMs) {
				window = { startMs: nowMs, used: 0 };
				windows.set(bucket, window);
			}
			const isAllowed = window.used < limit;
			if (isAllowed) window.used += 1;
			const resetMs = window.startMs + windowMs;
			return {
				isAllowed,
				headers: {
					"x-ratelimit-limit": String(limit),
					"x-ratelimit-remaining": String(limit - window.used),
					"x-ratelimit-reset": String(Math.ceil(resetMs / 1_000)),
					...(!isAllowed && { "retry-after": String(Math.ceil((resetMs - nowMs) / 1_000)) }),
				},
			};
		},
	};
}

/** Returns the bucket of a request. */
export function bucketOf(method: string, path: string): Bucket {
	if (path.endsWith("/fulfillment_data")) return "fulfillment";
	return method === "GET" ? "read" : "write";
}
