import { RedisClient } from "bun";
import { redisFault } from "#core/redis/faults.ts";
import { CONNECT_TIMEOUT_MS } from "#core/redis/limits.ts";

/**
 * A client that does what it is told and nothing by itself; it does not connect yet.
 *
 * Bun's client (1.4.5) can reconnect and queue. With that a lost connection is told only after
 * its last attempt, and commands wait behind it; without it a dead server rejects everything that
 * is under way at once, so the reconnecting is ours (`connectRedis`).
 */
export function newRedisClient(url: string): RedisClient {
	try {
		return new RedisClient(url, {
			autoReconnect: false,
			enableOfflineQueue: false,
			connectionTimeout: CONNECT_TIMEOUT_MS,
		});
	} catch {
		// Without a cause: the client's words may hold the URL, and with it the password.
		throw redisFault.redisUrl();
	}
}
