import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { budgetCases } from "#core/budget/budgetCases.ts";
import { redisBudget } from "#core/budget/redisBudget.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { connectRedis } from "#core/redis/connectRedis.ts";
import type { Redis } from "#core/redis/Redis.ts";
import { until } from "#core/redis/testing/until.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";

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

function process(url = server.url) {
	let nowMs = 1_000_000;
	// What is tested is what the server answers, however long a busy machine takes to.
	const redis = connectRedis({ url, deployment: "test", log: silentLog, deadlineMs: 10_000 });
	open.push(redis);
	const budget = redisBudget({ redis, clock: { nowMs: () => nowMs } });
	const take = (amount: number, perWindow = 120) =>
		budget.take("upstream", { amount, perWindow, windowMs: 60_000 });
	const advance = (ms: number) => {
		nowMs += ms;
	};
	return { redis, budget, take, advance };
}

async function connected() {
	const made = process();
	await until(made.redis.up, "Redis is up");
	return made;
}

/** Moves everything that the server remembers into the past, as if time had passed for it. */
const AGE = `
local units = redis.call('lrange', KEYS[1], 0, -1)
for i, at in ipairs(units) do
  redis.call('lset', KEYS[1], i - 1, string.format('%d', at - ARGV[1]))
end
local rest = redis.call('pttl', KEYS[1]) - ARGV[1]
redis.call('pexpire', KEYS[1], rest)
`;
async function age(ms: number): Promise<void> {
	for (const key of [await server.command("KEYS", "*")].flat()) {
		await server.command("EVAL", AGE, 1, String(key), ms);
	}
}

budgetCases({
	name: "in Redis",
	async make() {
		const { budget, advance } = await connected();
		return {
			budget,
			async advance(ms) {
				advance(ms);
				await age(ms);
			},
		};
	},
	skip: whyNoRedis,
});

testWithRedis("processes share one window", async () => {
	const [one, two, three] = [await connected(), await connected(), await connected()];
	const answers = await Promise.all(
		Array.from({ length: 60 }, (_, index) => [one, two, three][index % 3]?.take(1, 20)),
	);
	expect(answers.filter((answer) => answer?.granted)).toHaveLength(20);
});

testWithRedis("the server forgets a window that nobody takes from", async () => {
	const { redis, take } = await connected();
	await take(5);
	const rest = Number(await server.command("PTTL", redis.key("budget", "upstream")));
	expect(rest).toBeGreaterThan(0);
	expect(rest).toBeLessThanOrEqual(60_000);
});

testWithRedis("where Redis lost its memory no process is granted more than a window", async () => {
	const { take } = await connected();
	await take(100);
	await server.command("FLUSHALL");
	expect(await take(21)).toMatchObject({ granted: false, remaining: 20 });
	expect((await take(20)).granted).toBe(true);
});

testWithRedis(
	"while Redis is away a process has a quarter, and what it took before counts",
	async () => {
		const { redis, take, advance } = await connected();
		await take(25);
		await server.kill();
		await until(() => !redis.up(), "noticed");
		expect(await take(6)).toMatchObject({ granted: false, remaining: 5 });
		expect(await take(5)).toMatchObject({ granted: true, remaining: 0 });
		const refused = await take(1);
		expect(refused.granted).toBe(false);
		advance(refused.retryAfterMs);
		expect((await take(1)).granted).toBe(true);
		await server.restart();
		await until(redis.up, "Redis is back");
		expect((await take(90)).granted).toBe(true);
	},
);

test("a process that never met Redis has its quarter at once, and never more", async () => {
	const { take } = process("redis://127.0.0.1:1");
	const beganMs = performance.now();
	const answers = await Promise.all(Array.from({ length: 60 }, () => take(1)));
	expect(answers.filter(({ granted }) => granted)).toHaveLength(30);
	expect(performance.now() - beganMs).toBeLessThan(2_500);
});

testWithRedis(
	"a server whose clock was set back far refuses nobody for longer than a window",
	async () => {
		const { redis, take } = await connected();
		await server.command("RPUSH", redis.key("budget", "upstream"), 99_999_999_999_999);
		expect(await take(1, 1)).toMatchObject({ granted: true });
	},
);

test("alone, a share too small asks again soon, and a tiny budget still moves", async () => {
	const { take } = process("redis://127.0.0.1:1");
	expect(await take(31)).toMatchObject({ granted: false, retryAfterMs: 1_000 });
	expect((await take(1, 2)).granted).toBe(true);
});
