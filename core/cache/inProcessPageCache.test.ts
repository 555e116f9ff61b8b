import { expect, test } from "bun:test";
import { inProcessPageCache } from "#core/cache/inProcessPageCache.ts";
import { silentLog } from "#core/log/silentLog.ts";

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

test("[API-05] a crowd on a cold page costs one rebuild", async () => {
	const { cache } = make();
	let builds = 0;
	const rebuild = async () => `${++builds}`;
	const answers = await Promise.all(Array.from({ length: 50 }, () => cache.get("k", rebuild)));
	expect(builds).toBe(1);
	expect(new Set(answers.map((answer) => answer.body))).toEqual(new Set(["1"]));
});

test("[API-05] a rebuild that fails leaves the stale page, and a cold page says why", async () => {
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

test("the cache is bounded: the page used longest ago goes first", async () => {
	const { cache } = make();
	await cache.get("old", page("x".repeat(600)));
	await cache.get("new", page("y".repeat(600)));
	expect((await cache.get("old", page("z"))).outcome).toBe("miss");
});

test("a rebuild that throws at once is a rebuild that fails", async () => {
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

test("a failed rebuild is said once, however large the crowd", async () => {
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

test("a page of another moment is rebuilt before it is served, and served where that fails", async () => {
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

test("whoever wants a page of now does not wait for one of another moment", async () => {
	const { cache } = make();
	let finish: (body: string) => void = () => {};
	const before = cache.get("k", () => new Promise((done) => (finish = done)), "one");
	expect((await cache.get("k", page("now"), "two")).body).toBe("now");
	finish("before");
	expect((await before).body).toBe("before");
});
