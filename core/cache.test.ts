import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Bus, redisBus } from "#core/bus.ts";
import {
	inProcessPageCache,
	logRebuildFailure,
	type PageCache,
	redisPageCache,
} from "#core/cache.ts";
import { defineFaults } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { connectRedis, type Redis } from "#core/redis.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { until } from "#test/harness/until.ts";

describe("inProcessPageCache", () => {
	function make() {
		let nowMs = 0;
		const said: string[] = [];
		const cache = inProcessPageCache({
			clock: { nowMs: () => nowMs },
			log: { ...silentLog, warn: (message) => said.push(message) },
			freshMs: 15_000,
			keptMs: 90_000,
			sizeMax: 1_000,
		});
		return { cache, said, advance: (ms: number) => (nowMs += ms) };
	}

	const page = (body: string) => async () => body;
	const settled = () => new Promise((resolve) => setImmediate(resolve));

	test("[API-05] a page is fresh for 15 s, stale until 90 s, then rebuilt before it is served", async () => {
		const { cache, advance } = make();
		expect(await cache.get("k", page("1"))).toEqual({ outcome: "miss", body: "1" });
		advance(14_999);
		expect(await cache.get("k", page("2"))).toEqual({ outcome: "hit", body: "1" });
		advance(1);
		expect(await cache.get("k", page("3"))).toEqual({ outcome: "stale", body: "1" });
		await settled();
		expect(await cache.get("k", page("4"))).toEqual({ outcome: "hit", body: "3" });
		advance(90_000);
		expect(await cache.get("k", page("5"))).toEqual({ outcome: "miss", body: "5" });
	});

	test("[API-05] many simultaneous requests for a missing page cause one rebuild", async () => {
		const { cache } = make();
		let builds = 0;
		const rebuild = async () => `${++builds}`;
		const answers = await Promise.all(Array.from({ length: 50 }, () => cache.get("k", rebuild)));
		expect(builds).toBe(1);
		expect(new Set(answers.map((answer) => answer.body))).toEqual(new Set(["1"]));
	});

	test("[API-05] a failed rebuild keeps the stale page, and without a stale page the caller gets the error", async () => {
		const { cache, advance } = make();
		const broken = async () => Promise.reject(new Error("database is away"));
		await expect(cache.get("k", broken)).rejects.toThrow("database is away");
		await settled();
		await cache.get("k", page("1"));
		advance(20_000);
		expect(await cache.get("k", broken)).toEqual({ outcome: "stale", body: "1" });
		await settled();
		expect(await cache.get("k", page("2"))).toEqual({ outcome: "stale", body: "1" });
	});

	test("the cache is bounded: the least recently used page is dropped first", async () => {
		const { cache } = make();
		await cache.get("old", page("x".repeat(600)));
		await cache.get("new", page("y".repeat(600)));
		expect((await cache.get("old", page("z"))).outcome).toBe("miss");
	});

	test("a rebuild that throws synchronously is handled as a failed rebuild", async () => {
		const { cache, advance } = make();
		const broken = (): Promise<string> => {
			throw new Error("at once");
		};
		await cache.get("k", page("1"));
		advance(20_000);
		expect(await cache.get("k", broken)).toEqual({ outcome: "stale", body: "1" });
		await settled();
		expect(await cache.get("k", page("2"))).toEqual({ outcome: "stale", body: "1" });
	});

	test("a failed rebuild is logged once, however many callers wait", async () => {
		const { cache, said, advance } = make();
		await cache.get("k", page("1"));
		advance(20_000);
		const broken = async () => Promise.reject(new Error("away"));
		await Promise.all(Array.from({ length: 50 }, () => cache.get("k", broken)));
		await settled();
		expect(said).toEqual(["a page was not rebuilt"]);
	});

	test("a page that was being built while the cache was cleared is not kept", async () => {
		const { cache } = make();
		let finish: (body: string) => void = () => {};
		const old = cache.get("k", () => new Promise((done) => (finish = done)));
		cache.clear();
		expect((await cache.get("k", page("new"))).body).toBe("new");
		finish("old");
		expect((await old).body).toBe("old");
		expect(await cache.get("k", page("newer"))).toEqual({ outcome: "hit", body: "new" });
	});

	test("a page of another version is rebuilt before it is served, and served if the rebuild fails", async () => {
		const { cache, advance } = make();
		const broken = async () => Promise.reject(new Error("provider is away"));
		expect(await cache.get("k", page("1"), "one")).toEqual({ outcome: "miss", body: "1" });
		expect(await cache.get("k", page("2"), "one")).toEqual({ outcome: "hit", body: "1" });
		expect(await cache.get("k", page("3"), "two")).toEqual({ outcome: "miss", body: "3" });
		advance(20_000);
		expect(await cache.get("k", broken, "three")).toEqual({ outcome: "stale", body: "3" });
		// Of its own moment it is stale at once, and rebuilt behind the answer.
		expect(await cache.get("k", page("4"), "two")).toEqual({ outcome: "stale", body: "3" });
		await settled();
		expect(await cache.get("k", page("5"), "two")).toEqual({ outcome: "hit", body: "4" });
		advance(90_000);
		await expect(cache.get("k", broken, "four")).rejects.toThrow("provider is away");
	});

	test("a caller that wants the current version does not wait for the build of another one", async () => {
		const { cache } = make();
		let finish: (body: string) => void = () => {};
		const before = cache.get("k", () => new Promise((done) => (finish = done)), "one");
		expect((await cache.get("k", page("now"), "two")).body).toBe("now");
		finish("before");
		expect((await before).body).toBe("before");
	});
});

describe("logRebuildFailure", () => {
	const faults = defineFaults({ away: { status: 502, retry: "later", public: "Away." } });

	test("a rebuild that fails by an upstream's fault is logged at debug, by our own fault as a warning", () => {
		const said: string[] = [];
		const log = { warn: () => void said.push("warn"), debug: () => void said.push("debug") };
		logRebuildFailure(log, "k", faults.away());
		logRebuildFailure(log, "k", new Error("database is away"));
		expect(said).toEqual(["debug", "warn"]);
	});
});

describe("redisPageCache", () => {
	const testWithRedis = skipWithReason(whyNoRedis);
	const FRESH_MS = 15_000;
	const KEPT_MS = 90_000;
	let server: TestRedis;
	const open: { redis: Redis; bus: Bus }[] = [];
	beforeAll(async () => {
		if (whyNoRedis === null) server = await startRedis();
	});
	afterEach(async () => {
		for (const { redis, bus } of open.splice(0)) {
			await bus.close();
			await redis.close();
		}
		await server?.command("FLUSHALL");
	});
	afterAll(() => server?.stop());

	type Process = {
		cache: PageCache;
		redis: Redis;
		said: string[];
		advance(ms: number): void;
	};

	function process(url: string): Process {
		let nowMs = 5_000_000;
		const said: string[] = [];
		const log = { ...silentLog, warn: (message: string) => void said.push(message) };
		// What is tested is what the server answers, however long a busy machine takes to.
		const redis = connectRedis({ url, deployment: "test", log: silentLog, deadlineMs: 10_000 });
		const bus = redisBus({ redis, log });
		open.push({ redis, bus });
		const cache = redisPageCache({
			redis,
			bus,
			log,
			clock: { nowMs: () => nowMs },
			freshMs: FRESH_MS,
			keptMs: KEPT_MS,
			sizeMax: 1_000_000,
		});
		return { cache, redis, said, advance: (ms) => (nowMs += ms) };
	}

	async function two(): Promise<[Process, Process]> {
		const one = process(server.url);
		const other = process(server.url);
		await until(() => one.redis.up() && other.redis.up(), "Redis is up");
		return [one, other];
	}

	/** Makes what Redis holds older, as if time had passed for it. */
	async function age(redis: Redis, key: string, ageMs: number): Promise<void> {
		expect(await redis.send("PEXPIRE", [redis.key("page", key), KEPT_MS - ageMs])).toBe(1);
	}

	const page = (body: string) => async () => body;
	const never = () => Promise.reject(new Error("must not be built"));

	testWithRedis(
		"[API-05] a page that one process built is a hit in the others, as old as it is",
		async () => {
			const [one, other] = await two();
			expect(await one.cache.get("k", page("1"))).toEqual({ outcome: "miss", body: "1" });
			await age(one.redis, "k", 10_000);
			expect(await other.cache.get("k", never)).toEqual({ outcome: "hit", body: "1" });
			// Ten seconds old when it came: five more, and it is not fresh here either.
			other.advance(4_000);
			expect((await other.cache.get("k", never)).outcome).toBe("hit");
			other.advance(1_500);
			await age(one.redis, "k", 15_500);
			expect(await other.cache.get("k", page("2"))).toEqual({ outcome: "stale", body: "1" });
			await until(async () => (await other.cache.get("k", never)).body === "2", "rebuilt");
		},
	);

	testWithRedis("[API-05] a crowd on a cold page of two processes costs one rebuild", async () => {
		const [one, other] = await two();
		let builds = 0;
		let finish: (body: string) => void = () => {};
		const rebuild = () => {
			builds += 1;
			return new Promise<string>((done) => (finish = done));
		};
		const crowd = Array.from({ length: 40 }, (_, index) =>
			(index % 2 ? one : other).cache.get("k", rebuild),
		);
		await until(() => builds === 1, "it is being built");
		finish("built");
		const bodies = (await Promise.all(crowd)).map(({ body }) => body);
		expect({ builds, bodies: new Set(bodies) }).toEqual({ builds: 1, bodies: new Set(["built"]) });
	});

	testWithRedis(
		"[API-05] a stale page is served by both while one process rebuilds it",
		async () => {
			const [one, other] = await two();
			await one.cache.get("k", page("old"));
			await age(one.redis, "k", 20_000);
			one.advance(20_000);
			let finish: (body: string) => void = () => {};
			let builds = 0;
			const slow = () => {
				builds += 1;
				return new Promise<string>((done) => (finish = done));
			};
			expect(await one.cache.get("k", slow)).toEqual({ outcome: "stale", body: "old" });
			await until(() => builds === 1, "one rebuilds");
			expect(await other.cache.get("k", never)).toEqual({ outcome: "stale", body: "old" });
			finish("new");
			const both = async () =>
				(await one.cache.get("k", never)).body + (await other.cache.get("k", never)).body;
			await until(async () => (await both()) === "newnew", "both have it");
		},
	);

	testWithRedis("a fresh page is answered without Redis", async () => {
		const [one] = await two();
		await one.cache.get("k", page("1"));
		server.freeze();
		const answer = await one.cache.get("k", never);
		server.thaw();
		expect(answer).toEqual({ outcome: "hit", body: "1" });
	});

	testWithRedis(
		"a clearing drops the page everywhere, also the one that is being built",
		async () => {
			const [one, other] = await two();
			await one.cache.get("k", page("old"));
			await other.cache.get("k", never);
			let finish: (body: string) => void = () => {};
			const late = one.cache.get("late", () => new Promise<string>((done) => (finish = done)));
			await until(async () => (await server.command("DBSIZE")) === 2, "it is being built");
			other.cache.clear();
			expect((await other.cache.get("k", page("new"))).body).toBe("new");
			await until(async () => (await one.cache.get("k", page("new"))).body === "new", "cleared");
			finish("old");
			expect((await late).body).toBe("old");
			expect((await other.cache.get("late", page("new"))).body).toBe("new");
		},
	);

	testWithRedis(
		"a clearing during an outage keeps the pages of before from coming back",
		async () => {
			const [one, other] = await two();
			await one.cache.get("k", page("old"));
			server.freeze();
			await one.redis.send("PING", []).catch(() => {});
			one.cache.clear();
			expect((await one.cache.get("k", page("new"))).body).toBe("new");
			server.thaw();
			await until(one.redis.up, "Redis answers");
			await one.cache.get("other", page("x"));
			expect((await other.cache.get("k", page("newer"))).body).toBe("newer");
		},
	);

	testWithRedis("a clearing also drops what is being rebuilt behind a stale page", async () => {
		const [one] = await two();
		await one.cache.get("k", page("old"));
		await age(one.redis, "k", 20_000);
		one.advance(20_000);
		let finish: ((body: string) => void) | undefined;
		const slow = () => new Promise<string>((done) => (finish = done));
		expect((await one.cache.get("k", slow)).outcome).toBe("stale");
		await until(() => finish !== undefined, "it is being rebuilt");
		one.cache.clear();
		finish?.("old");
		const leftMs = async () => Number(await one.redis.send("PTTL", [one.redis.key("page", "k")]));
		await until(async () => (await leftMs()) > 80_000, "it was stored");
		await one.redis.send("PING", []);
		expect((await one.cache.get("k", page("new"))).body).toBe("new");
	});

	testWithRedis("a builder that dies holds the others up for a second, not longer", async () => {
		const [one] = await two();
		await server.command("SET", one.redis.key("building", "k"), "somebody who is gone");
		expect(await one.cache.get("k", page("1"))).toEqual({ outcome: "miss", body: "1" });
	});

	testWithRedis("a rebuild that fails leaves the stale page and lets the others try", async () => {
		const [one, other] = await two();
		const broken = () => Promise.reject(new Error("database is away"));
		await expect(one.cache.get("cold", broken)).rejects.toThrow("database is away");
		expect((await other.cache.get("cold", page("1"))).body).toBe("1");
		await one.cache.get("k", page("1"));
		await age(one.redis, "k", 20_000);
		one.advance(20_000);
		expect(await one.cache.get("k", broken)).toEqual({ outcome: "stale", body: "1" });
		await until(() => one.said.length === 2, "it failed");
		await until(async () => (await other.cache.get("k", page("2"))).body === "2", "rebuilt");
	});

	testWithRedis(
		"a page of another moment is rebuilt, and served to every process where that fails",
		async () => {
			const [one, other] = await two();
			expect(await one.cache.get("k", page("1"), "one")).toEqual({ outcome: "miss", body: "1" });
			expect(await other.cache.get("k", never, "one")).toEqual({ outcome: "hit", body: "1" });
			expect(await one.cache.get("k", page("2"), "two")).toEqual({ outcome: "miss", body: "2" });
			expect(await other.cache.get("k", never, "two")).toEqual({ outcome: "hit", body: "2" });
			const away = () => Promise.reject(new Error("provider is away"));
			expect(await other.cache.get("k", away, "three")).toEqual({ outcome: "stale", body: "2" });
			const third = process(server.url);
			await until(third.redis.up, "Redis is up");
			expect(await third.cache.get("k", away, "three")).toEqual({ outcome: "stale", body: "2" });
			await age(one.redis, "k", KEPT_MS - 1);
			await until(
				async () => (await one.redis.send("GET", [one.redis.key("page", "k")])) === null,
				"gone",
			);
			const fourth = process(server.url);
			await until(fourth.redis.up, "Redis is up");
			await expect(fourth.cache.get("k", away, "three")).rejects.toThrow("provider is away");
		},
	);

	testWithRedis("pages leave Redis by themselves", async () => {
		const [one] = await two();
		await one.cache.get("k", page("1"));
		const left = Number(await server.command("PTTL", one.redis.key("page", "k")));
		expect(left).toBeGreaterThan(0);
		expect(left).toBeLessThanOrEqual(KEPT_MS);
	});

	test("[API-05] the shared page cache works as a cache of one process while Redis is away", async () => {
		const { cache, advance } = process("redis://127.0.0.1:1");
		let builds = 0;
		const rebuild = async () => `${++builds}`;
		const crowd = await Promise.all(Array.from({ length: 20 }, () => cache.get("k", rebuild)));
		expect(new Set(crowd.map(({ body }) => body))).toEqual(new Set(["1"]));
		expect(await cache.get("k", never)).toEqual({ outcome: "hit", body: "1" });
		advance(20_000);
		expect(await cache.get("k", rebuild)).toEqual({ outcome: "stale", body: "1" });
		await until(async () => (await cache.get("k", never)).body === "2", "rebuilt");
		advance(KEPT_MS);
		expect(await cache.get("k", rebuild)).toEqual({ outcome: "miss", body: "3" });
		cache.clear();
		expect(await cache.get("k", rebuild)).toEqual({ outcome: "miss", body: "4" });
	});
});
