import { afterAll, beforeAll, expect } from "bun:test";
import { redisBus } from "#core/bus/redisBus.ts";
import { redisPageCache } from "#core/cache/redisPageCache.ts";
import { systemClock } from "#core/clock/systemClock.ts";
import { redisLimiter } from "#core/limiter/redisLimiter.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { connectRedis } from "#core/redis/connectRedis.ts";
import type { Redis } from "#core/redis/Redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: no command and no script of ours touches keys of two slots. A cluster of one node
// holds every slot and still refuses what crosses them, as a large one would.

const testWithRedis = skipWithReason(whyNoRedis);
let server: TestRedis | undefined;
const open: Redis[] = [];
beforeAll(async () => {
	if (whyNoRedis === null) server = await startRedis({ cluster: true });
});
afterAll(async () => {
	for (const redis of open) await redis.close();
	await server?.stop();
});

testWithRedis("[STR-06] limiter, pages and bus run on a Redis Cluster", async () => {
	const url = server?.url ?? "";
	const log = silentLog;
	const failed: string[] = [];
	/** Notes what the implementations would quietly fall back from. */
	const connect = (): Redis => {
		const redis = connectRedis({ url, deployment: "test", log, deadlineMs: 5_000 });
		open.push(redis);
		const send: Redis["send"] = (command, args) =>
			redis.send(command, args).catch((error) => {
				failed.push(`${command} ${args.join(" ")}`);
				throw error;
			});
		return { ...redis, send };
	};
	const [one, other] = [connect(), connect()];
	await until(() => one.up() && other.up(), "Redis is up");
	const insurance = { take: () => Promise.reject(new Error("must not be asked")) };
	const limiter = redisLimiter({ redis: one, requestsMax: 5, windowSeconds: 60, insurance });
	const [bus, otherBus] = [redisBus({ redis: one, log }), redisBus({ redis: other, log })];
	const pages = (redis: Redis) =>
		redisPageCache({
			redis,
			bus,
			log,
			clock: systemClock,
			freshMs: 15_000,
			keptMs: 90_000,
			sizeMax: 100_000,
		});
	const caches = [pages(one), pages(other)];
	const heard: string[] = [];
	otherBus.subscribe("c", (message) => heard.push(message));
	for (let index = 0; index < 20; index++) {
		const name = `name ${index}`;
		expect((await limiter.take(name)).remaining).toBe(4);
		for (const cache of caches) await cache.get(name, async () => name);
		bus.publish("c", name);
	}
	await until(() => heard.length === 20, "all hints were heard");
	expect(failed).toEqual([]);
	const crossing = one.send("MSET", [one.key("a", "1"), 1, one.key("a", "2"), 2]);
	await expect(crossing).rejects.toMatchObject({ code: "redis_refused" });
});
