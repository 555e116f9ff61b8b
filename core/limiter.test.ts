import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createMemoryLimiter, redisLimiter } from "#core/limiter.ts";
import { limiterCases } from "#core/limiterCases.ts";
import { silentLog } from "#core/log.ts";
import { connectRedis, type Redis } from "#core/redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

const testWithRedis = skipWithReason(whyNoRedis);
let server: TestRedis;
const open: Redis[] = [];
beforeAll(async () => {
	if (whyNoRedis === null) server = await startRedis();
});
afterEach(async () => {
	for (const redis of open.splice(0)) await redis.close();
	await server?.command("FLUSHALL");
});
afterAll(() => server?.stop());

/** What is tested is mostly what the server answers, however long a busy machine takes to. */
async function connect({ deadlineMs = 10_000 } = {}): Promise<Redis> {
	const { url } = server;
	const redis = connectRedis({ url, deployment: "test", log: silentLog, deadlineMs });
	open.push(redis);
	await until(redis.up, "Redis is up");
	return redis;
}

/** Fails where the cases lean on it. */
const noInsurance = { take: () => Promise.reject(new Error("the insurance was asked")) };

limiterCases({
	name: "in Redis",
	async make(limits) {
		const limiter = redisLimiter({ ...limits, redis: await connect(), insurance: noInsurance });
		return { limiter, endWindows: expireAll };
	},
	skip: whyNoRedis ? everyCase(whyNoRedis) : {},
});

async function expireAll(): Promise<void> {
	for (const key of [await server.command("KEYS", "*")].flat()) {
		await server.command("PEXPIRE", String(key), 0);
	}
}

function everyCase(why: string) {
	return Object.fromEntries(Array.from({ length: 99 }, (_, index) => [id(index + 1), why]));
}

function id(number: number): string {
	return `L-${String(number).padStart(2, "0")}`;
}

testWithRedis("[SEC-02] processes share one allowance", async () => {
	const limits = { requestsMax: 10, windowSeconds: 60, insurance: noInsurance };
	const limiters = [1, 2, 3].map(async () => redisLimiter({ ...limits, redis: await connect() }));
	const ready = await Promise.all(limiters);
	const answers = await Promise.all(
		Array.from({ length: 30 }, (_, index) => ready[index % 3]?.take("a")),
	);
	expect(answers.filter((answer) => answer?.allowed)).toHaveLength(10);
});

testWithRedis(
	"a window ends by the server's clock, with no request after its first moving it",
	async () => {
		const redis = await connect();
		const limits = { redis, requestsMax: 2, windowSeconds: 60, insurance: noInsurance };
		const limiter = redisLimiter(limits);
		await limiter.take("a");
		await server.command("PEXPIRE", redis.key("limit", "a"), 30_000);
		const second = await limiter.take("a");
		const refused = await limiter.take("a");
		expect(second.resetMs).toBeLessThanOrEqual(30_000);
		expect(refused.retryAfterMs).toBeLessThanOrEqual(30_000);
		expect(refused.retryAfterMs).toBeGreaterThan(20_000);
	},
);

testWithRedis("a count that never ends refuses nobody for ever", async () => {
	const redis = await connect();
	const limits = { redis, requestsMax: 2, windowSeconds: 60, insurance: noInsurance };
	await server.command("SET", redis.key("limit", "a"), 1_000);
	expect(await redisLimiter(limits).take("a")).toMatchObject({ allowed: true, remaining: 1 });
});

test("[SEC-02] while Redis is down, each process limits clients by itself, at once", async () => {
	const redis = connectRedis({
		url: "redis://127.0.0.1:1",
		deployment: "test",
		log: silentLog,
		// Who waits for it does not end in time.
		deadlineMs: 10 * TEST_LIMIT_MS,
	});
	open.push(redis);
	const limits = { requestsMax: 2, windowSeconds: 60 };
	const limiter = redisLimiter({ ...limits, redis, insurance: createMemoryLimiter(limits) });
	const answers = [await limiter.take("a"), await limiter.take("a"), await limiter.take("a")];
	expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false]);
});

testWithRedis("a server that hangs, or holds what is not ours, refuses nobody", async () => {
	const deadlineMs = 1_000;
	const redis = await connect({ deadlineMs });
	const limits = { requestsMax: 2, windowSeconds: 60 };
	const limiter = redisLimiter({ ...limits, redis, insurance: createMemoryLimiter(limits) });
	await server.command("LPUSH", redis.key("limit", "a"), "not a number");
	expect((await limiter.take("a")).allowed).toBe(true);
	server.freeze();
	// If they waited one after the other, the test would not end in time.
	const length = (2 * TEST_LIMIT_MS) / deadlineMs;
	const crowd = await Promise.all(Array.from({ length }, (_, index) => limiter.take(`${index}`)));
	server.thaw();
	expect(crowd.every(({ allowed }) => allowed)).toBe(true);
});
