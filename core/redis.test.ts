import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { redisBus } from "#core/bus.ts";
import { redisPageCache } from "#core/cache.ts";
import { systemClock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import { redisLimiter } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";
import {
	ANNOUNCEMENT_CHARACTERS_MAX,
	type ConnectRedisOptions,
	connectRedis,
	type Redis,
	redisKey,
} from "#core/redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";

describe("cluster", () => {
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
});

describe("connectRedis", () => {
	// Guarantee: a Redis server that is away, dies or hangs costs whoever asks it next to no time,
	// and is used again as soon as it is back.

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
		test("a command is refused at once, and logged once for any number of attempts", async () => {
			const { redis, said, changes } = connect({
				url: "redis://127.0.0.1:1",
				deadlineMs: NEVER_MS,
			});
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

		test("an invalid URL is refused before anything starts, and its password is not shown", () => {
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

		testWithRedis(
			"that drops either connection is noticed without waiting for a beat",
			async () => {
				const { redis, changes, isUp } = connect({ beatEveryMs: 600_000 });
				for (const [index, type] of ["pubsub", "normal"].entries()) {
					await isUp();
					await server.command("CLIENT", "KILL", "TYPE", type);
					await until(() => changes.length === 4 + index * 2, `${type} was noticed`);
				}
				expect(await redis.send("PING", [])).toBe("PONG");
			},
		);
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
});

describe("redisKey", () => {
	const key = (name: string, kind = "limit") => redisKey({ deployment: "d1", kind, name });

	test("different names have different keys, and one name always has the same key", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
				expect(key(one) === key(other)).toBe(one === other);
			}),
		);
	});

	test("each key has exactly one hash tag, and keys of one name share it", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (name) => {
				expect(key(name)).toMatch(/^tapeline:d1:limit:\{[0-9a-f]{32}\}$/);
				expect(key(name, "page").split("{")[1]).toBe(key(name).split("{")[1] ?? "");
			}),
		);
	});

	test("[SEC-07] a client's address cannot be read from its key", () => {
		expect(key("203.0.113.7")).not.toContain("203");
	});
});
