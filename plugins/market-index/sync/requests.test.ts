import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { backoffMs } from "#plugins/market-index/sync/fullSync.ts";
import {
	createSyncRequests,
	moveSync,
	type SyncEvent,
	type SyncState,
	syncStates,
} from "#plugins/market-index/sync/requests.ts";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createSyncRequests", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	withSyncLab((made) => {
		({ database, lab } = made);
	});

	const SYNC = "market-index.full-sync";
	const syncs = () =>
		lab.queued.filter(({ task }) => task === SYNC).map(({ priority }) => priority);

	test("[MRG-16] opening a collection watches it for five minutes, and opening it again extends that", async () => {
		const { id } = await lab.register();
		await lab.touch(id, "detail");
		expect((await lab.row(id))["watched_until"]).toEqual(new Date(NOW_MS + 300_000));
		lab.time.nowMs += 30_000;
		await lab.touch(id, "stream");
		expect((await lab.row(id))["watched_until"]).toEqual(new Date(NOW_MS + 330_000));
	});

	test("[API-16] views queue a collection once in 20 seconds, across processes and simultaneous views", async () => {
		const { id } = await lab.register();
		const processes = Array.from({ length: 4 }, () => lab.another());
		const everyoneLooks = () =>
			Promise.all(
				[...processes, ...processes].map((process, index) =>
					process.touch(id, index % 2 ? "candles" : "detail"),
				),
			);
		await everyoneLooks();
		expect(syncs()).toEqual([1]);
		lab.time.nowMs += 19_999;
		await everyoneLooks();
		expect(syncs()).toEqual([1]);
		lab.time.nowMs += 1;
		await everyoneLooks();
		expect(syncs()).toEqual([1, 1]);
	});

	test("[API-16] lists queue each collection once in five minutes, after those that are viewed", async () => {
		const collections = await Promise.all([lab.register(), lab.register(), lab.register()]);
		const ids = collections.map(({ id }) => id);
		const processes = [lab, lab.another(), lab.another()];
		await Promise.all(processes.map(({ discovered }) => discovered(ids)));
		expect(syncs()).toEqual([5, 5, 5]);
		lab.time.nowMs += 299_999;
		await lab.discovered(ids);
		expect(syncs()).toHaveLength(3);
		lab.time.nowMs += 1;
		await lab.discovered(ids);
		expect(syncs()).toHaveLength(6);
		// Lists take no lease.
		expect(await lab.row(ids[0] ?? -1)).toMatchObject({ watched_until: null });
	});

	test("[API-16] opening a collection queues it even after a list did, and lists then wait", async () => {
		const { id } = await lab.register();
		await lab.discovered([id]);
		lab.time.nowMs += 20_000;
		await lab.touch(id, "detail");
		await lab.discovered([id]);
		expect(syncs()).toEqual([5, 1]);
	});

	test("a process queries the database about a collection once in 20 seconds, for any number of views", async () => {
		const { id } = await lab.register();
		let asked = 0;
		const db = {
			...lab.core.db,
			transaction: ((run) => {
				asked++;
				return lab.core.db.transaction(run);
			}) satisfies typeof lab.core.db.transaction,
		};
		const requests = createSyncRequests({ core: { ...lab.core, db }, provider: lab.fake.provider });
		for (let look = 0; look < 100; look++) await requests.touch(id, "candles");
		expect(asked).toBe(1);
	});

	test("a failing database is logged, and opening a collection never throws", async () => {
		const { id } = await lab.register();
		await database.db.execute("alter table market_index.sync rename to sync_away");
		await lab.touch(id, "detail");
		await database.db.execute("alter table market_index.sync_away rename to sync");
		expect(lab.said).toEqual(["a collection is not watched"]);
		await lab.touch(id, "detail");
		expect(syncs()).toEqual([1]);
	});

	test("[API-07] a resync queues a repair at once, also of a failed sync, and joins with the next one", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		lab.fake.fail("stats", lab.fake.faults.unavailable());
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ sync_status: "failed" });
		expect(await lab.resync(id)).toBe("queued");
		expect(await lab.row(id)).toMatchObject({ sync_status: "queued" });
		expect(lab.queued.map(({ task, priority }) => [task, priority])).toContainEqual([SYNC, 1]);
		lab.time.nowMs += 4_999;
		expect(await lab.resync(id)).toBe("queued");
		expect(syncs()).toEqual([1]);
		lab.time.nowMs += 1;
		await lab.resync(id);
		expect(syncs()).toEqual([1, 1]);
	});

	test("a resync reads again the parts that a running sync has already read", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		const begun = Promise.withResolvers<void>();
		const listed = Promise.withResolvers<void>();
		lab.fake.answers.bestListings = async () => {
			begun.resolve();
			await listed.promise;
			return { items: [], cursor: null };
		};
		const before = lab.sync(id);
		await begun.promise;
		lab.time.nowMs += 6_000;
		expect(await lab.resync(id)).toBe("syncing");
		lab.fake.answers.bestListings = async () => ({ items: [listingOf(address)], cursor: null });
		await lab.sync(id);
		const repaired = { sync_status: "synced", listed_count: 1, failures: 0 };
		expect(await lab.row(id)).toMatchObject(repaired);
		// What the first one was told is older, and written nowhere.
		listed.resolve();
		await before;
		expect(await lab.row(id)).toMatchObject(repaired);
	});

	test("[API-07] a resync without a provider still reads the contract again", async () => {
		lab = createSyncLab(database.db, { isOn: false });
		const { id } = await lab.register();
		expect(await lab.resync(id)).toBe("queued");
		expect(lab.queued.map(({ task }) => task)).toEqual(["market-index.collection-metadata"]);
		await lab.touch(id, "detail");
		await lab.discovered([id]);
		expect(lab.queued).toHaveLength(1);
	});

	test("an excluded collection is neither watched nor synced", async () => {
		const { id } = await lab.register();
		await database.db.execute("update market_index.collection set excluded = true");
		await lab.touch(id, "detail");
		expect(await lab.resync(id)).toBeNull();
		expect(syncs()).toEqual([]);
	});
});

describe("moveSync", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createSyncLab(database.db);
	});
	afterAll(() => database.drop());

	const STATES = Object.keys(syncStates) as SyncState[];
	const EVENTS: SyncEvent[] = ["queue", "start", "resume", "put_back", "succeed", "fail"];

	test("a sync changes its state by its table; any other transition is refused and logged", async () => {
		const { id } = await lab.register();
		for (const status of STATES) {
			for (const event of EVENTS) {
				await database.db.execute("update market_index.collection set sync_status = $1", [status]);
				lab.said.length = 0;
				const move = { collectionId: id, event };
				const next = await database.db.transaction((tx) => moveSync(tx, lab.core.log, move));
				const expected = syncStates[status][event] ?? null;
				expect([status, event, next]).toEqual([status, event, expected]);
				expect(await lab.row(id)).toMatchObject({ sync_status: expected ?? status });
				expect(lab.said).toEqual(expected ? [] : ["a sync's transition was refused"]);
			}
		}
	});

	test("a queued sync ends synced or failed, and only through syncing", () => {
		expect(syncStates.queued).toEqual({ queue: "queued", start: "syncing" });
		const before = (end: SyncState) =>
			STATES.filter((state) => Object.values(syncStates[state]).includes(end));
		expect([before("synced"), before("failed")]).toEqual([["syncing"], ["syncing"]]);
	});

	test("[MRG-12] the wait after a failure doubles from 1 minute and stops at 30", () => {
		const minutes = [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => backoffMs(failures) / 60_000);
		expect(minutes).toEqual([1, 1, 2, 4, 8, 16, 30, 30, 30]);
	});
});
