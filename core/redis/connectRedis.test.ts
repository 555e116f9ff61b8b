import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Fault } from "#core/fault/Fault.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { type ConnectRedisOptions, connectRedis } from "#core/redis/connectRedis.ts";
import { ANNOUNCEMENT_CHARACTERS_MAX } from "#core/redis/limits.ts";
import type { Redis } from "#core/redis/Redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a Redis server that is away, dies or hangs costs whoever asks it next to no time, and
// is used again as soon as it is back.

/** Who waits for this does not end in time. */
const NEVER_MS = 10 * TEST_LIMIT_MS;

const testWithRedis = skipWithReason(whyNoRedis);
let server: TestRedis;
const open: Redis[] = [];
beforeAll(async () => {
	if (whyNoRedis === null) server = await startRedis();
});
afterEach(async () => {
	for (const redis of open.splice(0)) await redis.close();
});
afterAll(() => server?.stop());

function connect(options: Partial<ConnectRedisOptions> = {}) {
	const said: string[] = [];
	const changes: boolean[] = [];
	const note = (message: string) => void said.push(message);
	const redis = connectRedis({
		url: server?.url ?? "redis://127.0.0.1:1",
		deployment: "test",
		log: { ...silentLog, warn: note, info: note, error: note },
		onChange: (up) => changes.push(up),
		// Far above what a busy machine needs; the product's own is shorter than such a pause.
		deadlineMs: 3_000,
		...options,
	});
	open.push(redis);
	return { redis, said, changes, isUp: () => until(redis.up, "Redis is up") };
}

async function failureOf(work: Promise<unknown>): Promise<{ code: string }> {
	const failed = await work.then(
		() => null,
		(error: unknown) => error,
	);
	if (!(failed instanceof Fault)) return expect.unreachable();
	return { code: failed.code };
}

describe("without a server", () => {
	test("a command is refused at once, and said once however often it is tried", async () => {
		const { redis, said, changes } = connect({ url: "redis://127.0.0.1:1", deadlineMs: NEVER_MS });
		await until(() => said.length > 0, "the first attempt failed");
		for (let turn = 0; turn < 20; turn++) {
			expect((await failureOf(redis.send("GET", ["a"]))).code).toBe("redis_away");
		}
		redis.announce("nobody hears it");
		expect({ said, changes, up: redis.up() }).toEqual({
			said: ["Redis is away: this process goes on by itself"],
			changes: [false],
			up: false,
		});
	});

	test("a URL that cannot be read is refused before anything starts, without its password", () => {
		for (const url of ["redis://:c4n4ry@cache:99999", "redis://:c4n4ry@a b"]) {
			try {
				connectRedis({ url, deployment: "test", log: silentLog });
				expect.unreachable();
			} catch (error) {
				expect(error).toMatchObject({ code: "redis_url", retry: "never" });
				expect(Bun.inspect(error)).not.toContain("c4n4ry");
			}
		}
	});
});

describe("a server", () => {
	testWithRedis("answers; a command that it refuses is a Fault and costs no other", async () => {
		const { redis, isUp } = connect();
		await isUp();
		expect(await redis.send("SET", ["a", 1])).toBe("OK");
		const [refused, answer] = await Promise.all([
			failureOf(redis.send("LPUSH", ["a", "b"])),
			redis.send("GET", ["a"]),
		]);
		expect({ code: refused.code, answer, up: redis.up() }).toEqual({
			code: "redis_refused",
			answer: "1",
			up: true,
		});
	});

	testWithRedis(
		"that dies fails what is under way at once, and is used when it is back",
		async () => {
			const { redis, said, changes, isUp } = connect({ deadlineMs: NEVER_MS });
			await isUp();
			const underWay = failureOf(redis.send("BLPOP", ["nothing", 0]));
			await server.kill();
			await underWay;
			await until(() => !redis.up(), "noticed");
			expect((await failureOf(redis.send("GET", ["a"]))).code).toBe("redis_away");
			await until(() => said.length === 1, "said");
			await server.restart();
			await isUp();
			expect(await redis.send("GET", ["a"])).toBeNull();
			expect(changes).toEqual([false, true, false, true]);
			expect(said).toEqual(["Redis is away: this process goes on by itself", "Redis is back"]);
		},
	);

	testWithRedis(
		"that hangs costs one caller its deadline, and everybody after it nothing",
		async () => {
			const deadlineMs = 3_000;
			const { redis, changes, isUp } = connect({ deadlineMs });
			await isUp();
			server.freeze();
			// If each of them cost what the first one does, the test would not end in time.
			for (let sum = 0; sum < 2 * TEST_LIMIT_MS; sum += deadlineMs) {
				expect((await failureOf(redis.send("GET", ["a"]))).code).toBe("redis_away");
			}
			server.thaw();
			await isUp();
			expect(await redis.send("PING", [])).toBe("PONG");
			// Its late reply was enough: no connection was given up for it.
			expect(changes).toEqual([false, true]);
		},
	);

	testWithRedis(
		"that hangs for long is left by whoever only listens to it, and found again",
		async () => {
			const { redis, changes, isUp } = connect({ beatEveryMs: 20 });
			await isUp();
			server.freeze();
			await failureOf(redis.send("GET", ["a"]));
			await until(() => changes.length === 3, "given up");
			server.thaw();
			await isUp();
			expect(changes).toEqual([false, true, false, true]);
			expect(await redis.send("PING", [])).toBe("PONG");
		},
	);

	testWithRedis("that drops either connection is noticed without waiting for a beat", async () => {
		const { redis, changes, isUp } = connect({ beatEveryMs: 600_000 });
		for (const [index, type] of ["pubsub", "normal"].entries()) {
			await isUp();
			await server.command("CLIENT", "KILL", "TYPE", type);
			await until(() => changes.length === 4 + index * 2, `${type} was noticed`);
		}
		expect(await redis.send("PING", [])).toBe("PONG");
	});
});

describe("announcements", () => {
	testWithRedis(
		"reach every process of the deployment and nobody else, also after a restart",
		async () => {
			const one = connect();
			const two = connect();
			const stranger = connect({ deployment: "another" });
			const heard: string[] = [];
			one.redis.onAnnounced((text) => heard.push(`one ${text}`));
			two.redis.onAnnounced((text) => heard.push(`two ${text}`));
			stranger.redis.onAnnounced((text) => heard.push(`stranger ${text}`));
			for (const round of ["first", "second"]) {
				for (const { isUp } of [one, two, stranger]) await isUp();
				one.redis.announce(round);
				await until(() => heard.length === 2, "both heard it");
				expect(heard.splice(0).sort()).toEqual([`one ${round}`, `two ${round}`]);
				await server.kill();
				await server.restart();
				const changesSoFar = round === "first" ? 4 : 6;
				for (const { changes } of [one, two, stranger]) {
					await until(() => changes.length === changesSoFar, "lost and found");
				}
			}
		},
	);

	testWithRedis("that are too large are not sent; the largest is", async () => {
		const { redis, isUp } = connect({ deadlineMs: 3_000 });
		await isUp();
		const heard: number[] = [];
		redis.onAnnounced((text) => heard.push(text.length));
		redis.announce("x".repeat(ANNOUNCEMENT_CHARACTERS_MAX + 1));
		redis.announce("é".repeat(ANNOUNCEMENT_CHARACTERS_MAX));
		await until(() => heard.length > 0, "heard");
		expect(heard).toEqual([ANNOUNCEMENT_CHARACTERS_MAX]);
	});

	testWithRedis(
		"that a listener fails on, or no longer listens to, still reach the others",
		async () => {
			const { redis, said, isUp } = connect();
			await isUp();
			const heard: string[] = [];
			redis.onAnnounced(() => {
				throw new Error("mine");
			});
			const stop = redis.onAnnounced((text) => heard.push(`left ${text}`));
			redis.onAnnounced((text) => heard.push(text));
			stop();
			redis.announce("1");
			await until(() => heard.length > 0, "heard");
			expect({ heard, said }).toEqual({ heard: ["1"], said: ["a listener of Redis failed"] });
		},
	);
});

testWithRedis("who closed sends nothing, hears nothing and does not come back", async () => {
	const { redis, changes, isUp } = connect();
	await isUp();
	await redis.close();
	expect((await failureOf(redis.send("GET", ["a"]))).code).toBe("redis_away");
	expect(changes).toEqual([false, true, false]);
	expect(String(await server.command("CLIENT", "LIST"))).not.toContain("sub=2");
});
