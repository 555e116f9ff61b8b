import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
beforeAll(async () => {
	database = await createTestDatabase();
});
beforeEach(async () => {
	lab = createSyncLab(database.db);
	await lab.clear();
});
afterAll(() => database.drop());

async function watched(slug: string) {
	const collection = await lab.register();
	await lab.touch(collection.id, "detail");
	await lab.set(collection.id, `provider_slug = '${slug}', orders_due_at = '2026-01-01'`);
	return collection;
}
const asked = () => lab.fake.callsOf("listings").map(({ args }) => args[0]);

test("[MRG-16] [ING-05] books are read of watched collections only, and only while they are", async () => {
	await watched("seen");
	const other = await lab.register();
	await lab.discovered([other.id]);
	await lab.set(other.id, "provider_slug = 'unseen', orders_due_at = '2026-01-01'");
	await lab.tick("order-books");
	expect(asked()).toEqual(["seen"]);
	lab.time.nowMs += 299_999;
	await lab.tick("order-books");
	expect(asked()).toHaveLength(2);
	lab.time.nowMs += 30_001;
	await lab.tick("order-books");
	expect(asked()).toHaveLength(2);
});

test("a watched book is read every 30 seconds, whichever process comes first", async () => {
	await watched("busy");
	const { signal } = new AbortController();
	const jobs = [lab, lab.another(), lab.another()].map(({ jobs }) =>
		jobs.find(({ name }) => name === "market-index.order-books"),
	);
	const everyoneTicks = () => Promise.all(jobs.map((job) => job?.run({ signal })));
	await everyoneTicks();
	lab.time.nowMs += 29_999;
	await everyoneTicks();
	expect(asked()).toHaveLength(1);
	lab.time.nowMs += 1;
	await everyoneTicks();
	expect(asked()).toHaveLength(2);
});

test("[MRG-01] a book is read to its end and stored; the larger it is the rarer", async () => {
	const { id, address } = await watched("large");
	const orders = Array.from({ length: 20 }, () => listingOf(address));
	lab.fake.answers.listings = async (_slug, { cursor }) => {
		const at = Number(cursor ?? 0);
		return { items: orders.slice(at, at + 1), cursor: at < 19 ? String(at + 1) : null };
	};
	const { nowMs } = lab.time;
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({
		listed_count: 20,
		orders_at: new Date(nowMs),
		orders_due_at: new Date(nowMs + 21 * 3_000),
	});
});

test("[MRG-11] a limit ends the tick without a word; a book that fails costs the other books nothing", async () => {
	await watched("a");
	await watched("b");
	lab.fake.fail("listings", lab.fake.faults.rateLimited(1_000));
	await lab.tick("order-books");
	expect(lab.said).toEqual([]);
	lab.time.nowMs += 60_000;
	lab.fake.fail("listings", null);
	const { answers } = lab.fake;
	answers.listings = async (slug) => {
		if (slug === "a") throw lab.fake.faults.unreadable();
		return { items: [], cursor: null };
	};
	await lab.tick("order-books");
	// The provider's adapter has told it.
	expect(lab.said).toEqual([]);
	expect(new Set(asked().slice(-2))).toEqual(new Set(["a", "b"]));
});
