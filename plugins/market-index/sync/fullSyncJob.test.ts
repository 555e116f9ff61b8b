import { expect, test } from "bun:test";
import { claimSyncs } from "#plugins/market-index/sync/sql/claimSyncs.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { polygon } from "#plugins/market-index/testing/marketFixture.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
withSyncLab((made) => {
	({ database, lab } = made);
});

const ids = () =>
	lab.queued.map(({ payload }) => (payload as { collectionId: number }).collectionId);

test("[MRG-11] a tick puts 24 collections in line, the next tick the next ones", async () => {
	for (let count = 0; count < 50; count++) await lab.register();
	await lab.tick("full-sync");
	expect(ids()).toHaveLength(24);
	await lab.tick("full-sync");
	await lab.tick("full-sync");
	expect(new Set(ids()).size).toBe(50);
	await lab.tick("full-sync");
	expect(ids()).toHaveLength(50);
});

test("processes that tick at once put no collection in line twice", async () => {
	for (let count = 0; count < 30; count++) await lab.register();
	const jobs = Array.from({ length: 4 }, () => lab.another().jobs[0]);
	const { signal } = new AbortController();
	await Promise.all(jobs.map((job) => job?.run({ signal })));
	expect(new Set(ids()).size).toBe(ids().length);
});

test("[API-16] never synced goes first, then what somebody looks at, then the stalest", async () => {
	const names = ["stale", "watched", "stalest", "queued"] as const;
	const by = new Map<number, string>();
	for (const name of names) by.set((await lab.register()).id, name);
	await lab.tick("full-sync");
	lab.queued.length = 0;
	const now = new Date(lab.time.nowMs).toISOString();
	const makeDue = async () => {
		for (const [id, name] of by) {
			const minutes = name === "stalest" ? 9 : name === "watched" ? 1 : 5;
			await lab.set(id, `next_at = timestamptz '${now}' - interval '${minutes} minutes'`);
		}
	};
	await makeDue();
	for (const [id, name] of by) {
		if (name === "watched")
			await lab.set(id, `watched_until = timestamptz '${now}' + interval '1 m'`);
		if (name === "queued") continue;
		await database.db.execute(
			"update market_index.collection set sync_status = 'synced' where id = $1",
			[id],
		);
	}
	const claim = async (limit: number) => {
		const asked = { chainIds: [1], nowMs: lab.time.nowMs, limit };
		const claimed = await database.db.transaction((tx) => claimSyncs(tx, asked));
		return claimed.map(({ id }) => by.get(id));
	};
	const order: (string | undefined)[] = [];
	// One a tick: everybody but the first of the order is not due.
	for (let turn = 0; turn < 4; turn++) order.push(...(await claim(1)));
	expect(order).toEqual(["queued", "watched", "stalest", "stale"]);
	await makeDue();
	expect(await claim(4)).toEqual(order);
});

test("[API-16] what somebody looks at has priority 1 in line, everything else 5", async () => {
	const [watched, other] = [await lab.register(), await lab.register()];
	await lab.touch(watched.id, "stream");
	lab.time.nowMs += 60_000 * 5 - 1;
	await lab.set(watched.id, "next_at = '2020-01-01'");
	lab.queued.length = 0;
	await lab.tick("full-sync");
	expect(new Map(lab.queued.map((job, at) => [ids()[at], job.priority]))).toEqual(
		new Map([
			[watched.id, 1],
			[other.id, 5],
		]),
	);
});

test("[MRG-12] a failed collection is put in line when its wait is over, though nobody looks", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "cats");
	lab.fake.fail("stats", lab.fake.faults.unavailable());
	await lab.sync(id);
	// What it is was told: its tokens are asked for.
	lab.queued.length = 0;
	await lab.tick("full-sync");
	expect(ids()).toEqual([]);
	lab.time.nowMs += 60_000;
	await lab.tick("full-sync");
	expect(ids()).toEqual([id]);
});

test("collections of chains that are not indexed, and excluded ones, are left alone", async () => {
	await lab.register({ chainId: polygon.id });
	await lab.register();
	await database.db.execute(
		"update market_index.collection set excluded = true where chain_id = 1",
	);
	await lab.tick("full-sync");
	expect(ids()).toEqual([]);
});

test("[MRG-11] after a limit nobody is put in line until it is over", async () => {
	const { id } = await lab.register();
	await lab.register();
	lab.fake.failAll(lab.fake.faults.rateLimited(90_000));
	await lab.sync(id);
	await lab.tick("full-sync");
	expect(ids()).toEqual([]);
	lab.time.nowMs += 90_000;
	await lab.tick("full-sync");
	expect(ids()).toHaveLength(2);
});
