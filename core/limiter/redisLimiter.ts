import { z } from "zod";
import { assert } from "#core/fault/assert.ts";
import type { Limiter, LimiterAnswer } from "#core/limiter/Limiter.ts";
import type { Redis } from "#core/redis/Redis.ts";

export type RedisLimiterOptions = {
	redis: Redis;
	requestsMax: number;
	windowSeconds: number;
	/** Answers while Redis cannot: a limiter of this process alone. */
	insurance: Limiter;
};

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
 * The limiter of all processes together. Never refuses, fails or hangs because of Redis: without
 * it each process counts by itself, and a client gets at most an allowance from each.
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
