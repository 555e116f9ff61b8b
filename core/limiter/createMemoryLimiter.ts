import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { assert } from "#core/fault/assert.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";

/** Clients remembered at once. Measured: 65 MB after a million addresses (100,000: 300 MB). */
const KEYS_MAX = 20_000;

export type MemoryLimiterOptions = {
	requestsMax: number;
	windowSeconds: number;
	keysMax?: number;
};

/**
 * The limiter of a single process.
 *
 * The library keeps every key (and a timer for it) until its window ends, without a bound. Past
 * `keysMax` the client with the oldest window is forgotten: under a flood of addresses an attacker
 * gains nothing (they have fresh addresses anyway) and honest clients are never refused for the
 * flood of others, which shared overflow buckets would do.
 */
export function createMemoryLimiter(options: MemoryLimiterOptions): Limiter & { size(): number } {
	const { requestsMax, windowSeconds, keysMax = KEYS_MAX } = options;
	assert(requestsMax > 0 && windowSeconds > 0, "a limiter that lets nothing through is a mistake");
	assert(keysMax > 0, "a limiter must remember at least the client that asks");
	const library = new RateLimiterMemory({
		points: requestsMax,
		duration: windowSeconds,
		keyPrefix: "",
	});
	// Set only when a window begins, so the least recent entry is the oldest window. (A plain Set,
	// whose first entry is deleted again and again, is quadratic in JavaScriptCore: 55 s a million.)
	const windows = new LRUCache<string, true>({
		max: keysMax,
		dispose(_value, key, reason) {
			if (reason === "evict") void library.delete(key);
		},
	});

	return {
		size: () => windows.size,
		async take(key) {
			const taken = await consume(library, key);
			if (taken.result.isFirstInDuration) windows.set(key, true);
			return answer({ ...taken, requestsMax });
		},
	};
}

/** The library refuses by rejecting with its result; anything else rejected is a real error. */
async function consume(library: RateLimiterMemory, key: string) {
	try {
		return { allowed: true, result: await library.consume(key) };
	} catch (refusal) {
		if (refusal instanceof RateLimiterRes) return { allowed: false, result: refusal };
		throw refusal;
	}
}

function answer(taken: {
	allowed: boolean;
	result: RateLimiterRes;
	requestsMax: number;
}): LimiterAnswer {
	// A negative wait appears when a window ends between the library's two readings of the clock.
	const resetMs = Math.max(0, Math.ceil(taken.result.msBeforeNext));
	return {
		allowed: taken.allowed,
		limit: taken.requestsMax,
		remaining: taken.allowed ? Math.max(0, taken.result.remainingPoints) : 0,
		resetMs,
		retryAfterMs: taken.allowed ? 0 : Math.max(1, resetMs),
	};
}
