import { afterAll, beforeAll, expect, test } from "bun:test";
import { backoffMs } from "#plugins/market-index/sync/backoffMs.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import {
	type SyncEvent,
	type SyncState,
	syncStates,
} from "#plugins/market-index/sync/syncStates.ts";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createSyncLab(database.db);
});
afterAll(() => database.drop());

const STATES = Object.keys(syncStates) as SyncState[];
const EVENTS: SyncEvent[] = ["queue", "start", "resume", "put_back", "succeed", "fail"];

test("a sync moves by its table; a transition outside it is refused, said, and changes nothing", async () => {
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

test("from queued a sync ends synced or failed, and nothing gets past syncing", () => {
	expect(syncStates.queued).toEqual({ queue: "queued", start: "syncing" });
	const before = (end: SyncState) =>
		STATES.filter((state) => Object.values(syncStates[state]).includes(end));
	expect([before("synced"), before("failed")]).toEqual([["syncing"], ["syncing"]]);
});

test("[MRG-12] the wait after a failure doubles from 1 minute and stops at 30", () => {
	const minutes = [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => backoffMs(failures) / 60_000);
	expect(minutes).toEqual([1, 1, 2, 4, 8, 16, 30, 30, 30]);
});
