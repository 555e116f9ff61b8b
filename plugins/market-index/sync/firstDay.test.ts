import { expect, test } from "bun:test";
import { createEventList } from "#plugins/market-index/sync/testing/createEventList.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { saleEventOf, statsOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

// Guarantee: a collection whose first day of events takes long is kept up to date meanwhile.

let lab: SyncLab;
withSyncLab((made) => {
	lab = made.lab;
});

/** A day of eight pages, of which a first sync has read one, and told everything else. */
async function underWay(): Promise<number> {
	const { id, address } = await lab.register();
	const list = createEventList({ pageSize: 200 });
	for (let sale = 1; sale <= 1_500; sale++) list.add(NOW_MS - sale * 57_000);
	lab.fake.answers.events = async (_slug, options) => {
		const { timesMs, next } = list.page(options);
		const items = timesMs.map((occurredAtMs) => saleEventOf(address, { occurredAtMs }));
		return { items, cursor: next };
	};
	lab.know(address, "busy");
	await lab.sync(id);
	expect(await lab.row(id)).toMatchObject({ sync_status: "syncing", provider_owners: 40 });
	lab.fake.answers.stats = async () => statsOf({ owners: 41 });
	return id;
}
const pages = () => lab.fake.callsOf("events").map(({ options }) => options["cursor"]);

test("while a first day is read, a viewer of the collection gets its new events", async () => {
	const id = await underWay();
	lab.time.nowMs += 20_000;
	await lab.sync(id);
	// For its next page alone nothing else is asked again.
	expect(await lab.row(id)).toMatchObject({ provider_owners: 40 });
	await lab.touch(id, "detail");
	await lab.sync(id);
	const row = await lab.row(id);
	expect(row).toMatchObject({ sync_status: "syncing", provider_owners: 41 });
	expect((row["last_provider_at"] as Date).getTime()).toBe(lab.time.nowMs);
	expect(pages()).toHaveLength(3);
	expect(new Set(pages()).size).toBe(3);
});

test("while a first day is read, figures are not older than those of any other collection", async () => {
	const id = await underWay();
	lab.time.nowMs += 600_000;
	await lab.sync(id);
	expect(await lab.row(id)).toMatchObject({ provider_owners: 40 });
	lab.time.nowMs += 1;
	await lab.sync(id);
	expect(await lab.row(id)).toMatchObject({ sync_status: "syncing", provider_owners: 41 });
});

test("opening a collection deletes no stored part of a sync that runs or waits", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "waits");
	lab.fake.fail("events", lab.fake.faults.rateLimited(20_000));
	await lab.sync(id);
	await lab.touch(id, "detail");
	expect((await lab.row(id))["parts"]).not.toBeNull();
	lab.fake.fail("events", null);
	lab.time.nowMs += 20_000;
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) => {
		await lab.touch(id, "detail");
		expect((await lab.row(id))["parts"]).not.toBeNull();
		return answer(slug, options);
	};
	await lab.sync(id);
	expect(await lab.row(id)).toMatchObject({ sync_status: "synced" });
	expect(lab.fake.callsOf("stats")).toHaveLength(1);
});
