import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { nameDatabase, openShared, type Shared } from "#api/service/openStorage.ts";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { startRedis, type TestRedis, whyNoRedis } from "#test/harness/startRedis.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("openShared", () => {
	const testWithRedis = skipWithReason(whyNoRedis);
	let server: TestRedis;
	/** Each deployment has a database of its own. */
	const databases = new Map<string, TestDatabase>();
	const open: Shared[] = [];
	beforeAll(async () => {
		if (whyNoRedis === null) server = await startRedis();
		for (const name of ["a", "b"]) databases.set(name, await createTestDatabase());
	});
	afterEach(async () => {
		for (const shared of open.splice(0)) await shared.close();
		for (const { db } of databases.values()) await db.execute("truncate core.budget");
		await server?.command("FLUSHALL").catch(() => {});
	});
	afterAll(async () => {
		await server?.stop();
		for (const database of databases.values()) await database.drop();
	});

	/** What one process of a deployment opens. */
	async function process(redisUrl: string | undefined, deployment = "a") {
		const database = databases.get(deployment);
		if (!database) throw new Error(`no deployment ${deployment}`);
		const metrics = createMetrics();
		const shared = await openShared({
			redisUrl,
			db: database.db,
			deployment: async () => deployment,
			clock: systemClock,
			log: silentLog,
			metrics,
		});
		open.push(shared);
		const figure = async () =>
			(await metrics.expose()).body.match(/^tapeline_redis_up (\d)$/m)?.[1];
		return { ...shared, figure };
	}

	const isUp = ({ components }: Shared) => components()[0]?.detail === undefined;
	const terms = { amount: 60, perWindow: 100, windowMs: 60_000 };

	async function connected(...deployments: string[]) {
		const processes = await Promise.all(deployments.map((name) => process(server.url, name)));
		await until(() => processes.every(isUp), "Redis is up");
		return processes;
	}

	/** What two processes share: whatever one uses up or builds shows in the other. */
	async function sharedBy(one: Shared, other: Shared) {
		const heard: string[] = [];
		other.bus.subscribe("c", (message) => heard.push(message));
		one.bus.publish("c", "1");
		await one.pageCache.get("k", async () => "one");
		const page = await other.pageCache.get("k", async () => "other");
		await one.limiter.take("a");
		const { remaining } = await other.limiter.take("a");
		await one.budget.take("upstream", terms);
		const { granted } = await other.budget.take("upstream", terms);
		return { heard, page: page.body, remaining, granted };
	}

	describe("with REDIS_URL", () => {
		testWithRedis(
			"[STR-06] processes of one deployment share bus, pages, limits and budget",
			async () => {
				const [one, other] = await connected("a", "a");
				if (!one || !other) return expect.unreachable();
				expect(await sharedBy(one, other)).toEqual({
					heard: ["1"],
					page: "one",
					remaining: 598,
					granted: false,
				});
			},
		);

		testWithRedis(
			"deployments on different databases share nothing, though the server is one",
			async () => {
				const [one, other] = await connected("a", "b");
				if (!one || !other) return expect.unreachable();
				expect(await sharedBy(one, other)).toEqual({
					heard: [],
					page: "other",
					remaining: 599,
					granted: true,
				});
			},
		);

		testWithRedis(
			"a server that dies shows in the figure and as a detail, never as not ready",
			async () => {
				const [one] = await connected("a");
				if (!one) return expect.unreachable();
				expect(await one.figure()).toBe("1");
				expect(one.components()).toEqual([{ name: "redis", ready: true }]);
				await server.kill();
				await until(() => !isUp(one), "noticed");
				expect(await one.figure()).toBe("0");
				expect(one.components()).toEqual([
					{ name: "redis", ready: true, detail: expect.stringContaining("away") },
				]);
				await server.restart();
				await until(() => isUp(one), "back");
				expect(await one.figure()).toBe("1");
			},
		);

		test("storage works within this process while REDIS_URL is unreachable", async () => {
			const one = await process("redis://127.0.0.1:1");
			const heard: string[] = [];
			one.bus.subscribe("c", (message) => heard.push(message));
			one.bus.publish("c", "1");
			expect(heard).toEqual(["1"]);
			expect((await one.pageCache.get("k", async () => "built")).body).toBe("built");
			expect((await one.pageCache.get("k", async () => "again")).outcome).toBe("hit");
			expect((await one.limiter.take("a")).remaining).toBe(599);
			expect((await one.budget.take("upstream", { ...terms, amount: 1 })).granted).toBe(true);
		});
	});

	test("storage without REDIS_URL has no component and no metric of Redis", async () => {
		const one = await process(undefined);
		expect(one.components()).toEqual([]);
		expect(await one.figure()).toBeUndefined();
		expect((await one.budget.take("upstream", { ...terms, amount: 100 })).granted).toBe(true);
	});

	test("[MRG-08] processes on one database share its budgets, while Redis is down and without it", async () => {
		const processes = [await process(undefined), await process("redis://127.0.0.1:1")];
		let granted = 0;
		for (let turn = 0; turn < 241; turn++) {
			const taken = await processes[turn % 2]?.budget.take("key", {
				...terms,
				amount: 1,
				perWindow: 120,
			});
			if (taken?.granted) granted++;
		}
		expect(granted).toBe(120);
		const elsewhere = await process(undefined, "b");
		expect((await elsewhere.budget.take("key", terms)).granted).toBe(true);
	});
});

describe("openStorage", () => {
	const named = (database: string, host: string, port: number) =>
		`PostgreSQL at DATABASE_URL: database "${database}" on ${host}, port ${port}`;

	const cases: [url: string, name: string][] = [
		["postgresql://me:pa55word@db.example/tapeline", named("tapeline", "db.example", 5432)],
		[
			"postgres://me:pa55word@db.example:6432/other?sslmode=require",
			named("other", "db.example", 6432),
		],
		[
			"postgres:///shop?host=/run/postgresql&password=pa55word",
			named("shop", "/run/postgresql", 5432),
		],
	];
	for (const [url, name] of cases) {
		test(`a database is described by name, host and port: ${name}`, () => {
			expect(nameDatabase(url)).toBe(name);
		});
	}

	test("part of a password that makes the URL invalid is not shown as the host", () => {
		for (const password of ["pa55/word", "pa55?word", "pa55#word"]) {
			expect(nameDatabase(`postgres://me:${password}@db.example/tapeline`)).not.toContain("pa55");
		}
	});

	test("the password is never part of the description", () => {
		fc.assert(
			fc.property(fc.string({ minLength: 6, maxLength: 30, unit: "grapheme" }), (text) => {
				const password = `~${text}~`;
				const url = `postgres://me:${encodeURIComponent(password)}@db.example/tapeline`;
				expect(nameDatabase(url)).toBe(named("tapeline", "db.example", 5432));
			}),
		);
	});
});
