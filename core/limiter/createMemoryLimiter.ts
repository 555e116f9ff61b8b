import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock/Clock.ts";
import { systemClock } from "#core/clock/systemClock.ts";
import { assert } from "#core/fault/assert.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";

/** Clients remembered at once: a few megabytes, however many addresses come by. */
const KEYS_MAX = 20_000;

export type MemoryLimiterOptions = {
	requestsMax: number;
	windowSeconds: number;
	keysMax?: number;
	clock?: Clock;
};

export type MemoryLimiter = Limiter & {
	takeNow(key: string): LimiterAnswer;
	size(): number;
};

type Window = { taken: number; endsAtMs: number };

/**
 * The limiter of a single process. It decides at once, so an answer that is ready need not wait
 * for a promise (a library's limiter is one, and holds a timer for each client beside).
 *
 * Past `keysMax` the client with the oldest window is forgotten: under a flood of addresses an
 * attacker gains nothing (they have fresh addresses anyway) and honest clients are never refused
 * for the flood of others, which shared overflow buckets would do.
 */
export function createMemoryLimiter(options: MemoryLimiterOptions): MemoryLimiter {
	const { requestsMax, windowSeconds, keysMax = KEYS_MAX, clock = systemClock } = options;
	assert(requestsMax > 0 && windowSeconds > 0, "a limiter that lets nothing through is a mistake");
	assert(keysMax > 0, "a limiter must remember at least the client that asks");
	const windowMs = windowSeconds * 1_000;
	// Read without being moved, set only when a window begins: the first is the oldest window.
	const windows = new LRUCache<string, Window>({ max: keysMax });

	const takeNow = (key: string): LimiterAnswer => {
		const nowMs = clock.nowMs();
		const open = openWindow(key, nowMs);
		const allowed = open.taken < requestsMax;
		// What is refused is not counted, so asking again makes nothing worse.
		if (allowed) open.taken += 1;
		const resetMs = open.endsAtMs - nowMs;
		return {
			allowed,
			limit: requestsMax,
			remaining: requestsMax - open.taken,
			resetMs,
			retryAfterMs: allowed ? 0 : resetMs,
		};
	};

	function openWindow(key: string, nowMs: number): Window {
		const known = windows.peek(key);
		const restMs = (known?.endsAtMs ?? 0) - nowMs;
		// More than a window is left only where the clock was set back: nobody waits for that.
		if (known && restMs > 0 && restMs <= windowMs) return known;
		const begun = { taken: 0, endsAtMs: nowMs + windowMs };
		windows.set(key, begun);
		return begun;
	}

	return { takeNow, take: async (key) => takeNow(key), size: () => windows.size };
}
