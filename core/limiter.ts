// Counts requests by client: in this process, or in Redis for all.

import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type Clock, systemClock } from "#core/clock.ts";
import { assert } from "#core/fault.ts";
import type { Redis } from "#core/redis.ts";

/** Holds what is left of a client's allowance after one request. */
export type LimiterAnswer = {
	allowed: boolean;
	/** Requests a window holds. */
	limit: number;
	/** Requests left in this window; 0 when refused. */
	remaining: number;
	/** The time until the window ends and the whole allowance is back. */
	resetMs: number;
	/** How long a refused caller should wait; 0 when allowed. */
	retryAfterMs: number;
};

/**
 * Counts requests by client in a fixed window.
 *
 * A key is the caller's text for one client; implementations neither parse nor log it. Each
 * implementation passes `limiterCases`.
 */
export type Limiter = {
	take(key: string): Promise<LimiterAnswer>;
	/**
	 * Takes without a wait, in a limiter that makes no calls. What it has counted, `take` must not
	 * count again.
	 */
	takeNow?(key: string): LimiterAnswer;
};

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

export type RedisLimiterOptions = {
	redis: Redis;
	requestsMax: number;
	windowSeconds: number;
	/** Answers while Redis cannot: a limiter of this process alone. */
	insurance: Limiter;
};

type Window = { taken: number; endsAtMs: number };

/** Clients remembered at once: a few megabytes, however many addresses come by. */
const KEYS_MAX = 20_000;

/**
 * One request from a client's window; answers whether it fits, what is left, and the window's rest.
 *
 * The window begins with its first request and ends by the key's own expiry, on the server's
 * clock. What is refused is not counted, so that asking again makes nothing worse. A key without
 * an expiry cannot come from here, and must not refuse somebody for ever.
 */
const TAKE = `
local taken = tonumber(redis.call('get', KEYS[1]) or '0')
local rest = redis.call('pttl', KEYS[1])
if rest < 0 then taken = 0 end
if taken >= tonumber(ARGV[1]) then return {0, 0, rest} end
if taken == 0 then
  redis.call('set', KEYS[1], 1, 'px', ARGV[2])
  return {1, ARGV[1] - 1, tonumber(ARGV[2])}
end
redis.call('incr', KEYS[1])
return {1, ARGV[1] - taken - 1, rest}
`;

const replySchema = z.tuple([z.union([z.literal(0), z.literal(1)]), z.int().min(0), z.int()]);

/**
 * Makes the limiter of a single process. It decides at once, so an answer that is ready need not
 * wait for a promise (a library's limiter is one, and holds a timer for each client beside).
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
		// More than one window is left only if the clock was set back: then a new window begins.
		if (known && restMs > 0 && restMs <= windowMs) return known;
		const begun = { taken: 0, endsAtMs: nowMs + windowMs };
		windows.set(key, begun);
		return begun;
	}

	return { takeNow, take: async (key) => takeNow(key), size: () => windows.size };
}

/**
 * Makes the limiter of all processes together. It never refuses, fails or hangs because of Redis:
 * without it each process counts by itself, and a client gets at most an allowance from each.
 *
 * The library's own Redis store expects another client, so the window is a script of ours.
 */
export function redisLimiter(options: RedisLimiterOptions): Limiter {
	const { redis, requestsMax, windowSeconds, insurance } = options;
	assert(requestsMax > 0 && windowSeconds > 0, "a limiter that lets nothing through is a mistake");
	const take = async (key: string): Promise<LimiterAnswer> => {
		const args = [TAKE, 1, redis.key("limit", key), requestsMax, windowSeconds * 1_000];
		const [taken, remaining, rest] = replySchema.parse(await redis.send("EVAL", args));
		const allowed = taken === 1;
		const resetMs = Math.max(rest, 1);
		return { allowed, limit: requestsMax, remaining, resetMs, retryAfterMs: allowed ? 0 : resetMs };
	};
	return { take: (key) => take(key).catch(() => insurance.take(key)) };
}
