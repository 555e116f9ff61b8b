import { expect, test } from "bun:test";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
withSyncLab((made) => {
	({ database, lab } = made);
});

async function watched(slug: string) {
	const collection = await lab.register();
	await lab.touch(collection.id, "detail");
	await lab.set(collection.id, `provider_slug = '${slug}', orders_due_at = '2026-01-01'`);
	return collection;
}
const asked = () => lab.fake.callsOf("listings").map(({ args }) => args[0]);

test("[MRG-16] [ING-05] only books of watched collections are read, and only while they are watched", async () => {
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

test("a watched book is read every 30 seconds, by any process", async () => {
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

test("a book from which plans will soon buy is read first, its listings first, despite other pauses", async () => {
	const others = await watched("other");
	const { id } = await watched("urgent");
	await lab.set(id, "orders_due_at = '2026-02-01', urgent_until = '2036-01-01'");
	// A limit pauses the background; calls for plans are kept apart.
	lab.fake.answers.listings = async (slug, { purpose }) => {
		if (purpose !== "plan") throw lab.fake.faults.rateLimited(60_000);
		return { items: slug === "urgent" ? [listingOf(others.address)] : [], cursor: null };
	};
	await lab.tick("order-books");
	expect(asked()).toEqual(["urgent", "other"]);
	await lab.set(id, `orders_due_at = '2026-02-01'`);
	await lab.tick("order-books");
	expect(asked()).toHaveLength(2);
	await lab.tick("urgent-books");
	expect(asked()).toEqual(["urgent", "other", "urgent"]);
	expect([lab.fake.callsOf("offers"), lab.fake.callsOf("stats")]).toEqual([[], []]);
	expect(await lab.row(id)).toMatchObject({
		...{ orders_at: new Date(lab.time.nowMs), offers_at: null },
	});
	// Once it is not urgent any more its offers are read too, by the background.
	await lab.set(id, `orders_due_at = '2026-02-01', urgent_until = '2026-01-01'`);
	await lab.tick("urgent-books");
	expect(asked()).toHaveLength(3);
});

test("[MRG-01] a book is read to its end and stored; larger books are read less often", async () => {
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
		listed_at: new Date(nowMs),
		orders_at: new Date(nowMs),
		orders_due_at: new Date(nowMs + 21 * 3_000),
	});
});

test("[MRG-11] a rate limit ends the run without a log line; a failing book does not stop the others", async () => {
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

test("[MRG-15] a book is stored without unreadable stats, which do not count as no listings", async () => {
	const { id, address } = await watched("unread");
	lab.fake.answers.listings = async () => ({ items: [listingOf(address)], cursor: null });
	await lab.tick("order-books");
	lab.fake.fail("stats", lab.fake.faults.unreadable());
	lab.fake.answers.listings = async () => ({ items: [], cursor: null });
	const before = await lab.row(id);
	lab.time.nowMs += 60_000;
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({
		...{ listed_count: 0, floor_native: before["floor_native"] },
		orders_at: new Date(lab.time.nowMs),
	});
	expect(before["floor_native"]).not.toBeNull();
});

test("pages of a book that were read before a rate limit are kept, and the limit is respected", async () => {
	const { id, address } = await watched("cut");
	let pages = 0;
	lab.fake.answers.listings = async () => {
		if (++pages === 3) throw lab.fake.faults.rateLimited(30_000);
		return { items: [listingOf(address)], cursor: String(pages) };
	};
	await lab.tick("order-books");
	const stored = "select count(*)::int4 as orders from market_index.market_order where is_active";
	expect(await database.db.query(stored)).toEqual([{ orders: 2 }]);
	// Neither the other side nor how many there are is known, and nobody was asked past the limit.
	expect(await lab.row(id)).toMatchObject({
		...{ listed_count: null, orders_at: null, floor_native: null },
	});
	expect(lab.fake.callsOf("offers")).toHaveLength(0);
	expect(lab.fake.callsOf("stats")).toHaveLength(0);
	lab.time.nowMs += 29_999;
	await lab.tick("order-books");
	expect(pages).toBe(3);
});

test("a side of a book that breaks off is incomplete: earlier orders stay active", async () => {
	const { id, address } = await watched("broken");
	const orders = [listingOf(address), listingOf(address)];
	lab.fake.answers.listings = async () => ({ items: orders, cursor: null });
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({ listed_count: 2 });
	lab.time.nowMs += 60_000;
	lab.fake.answers.listings = async () => ({
		...{ items: orders.slice(0, 1), cursor: null },
		isBroken: true,
	});
	await lab.tick("order-books");
	const stored = "select count(*)::int4 as orders from market_index.market_order where is_active";
	expect(await database.db.query(stored)).toEqual([{ orders: 2 }]);
	expect(await lab.row(id)).toMatchObject({ listed_count: null });
});

test("an unknown list does not count as an empty book: earlier orders stay active", async () => {
	const { id, address } = await watched("gone");
	lab.fake.answers.listings = async () => ({ items: [listingOf(address)], cursor: null });
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({ listed_count: 1 });
	lab.time.nowMs += 60_000;
	lab.fake.answers.listings = async () => ({ items: [], cursor: null, isUnknown: true });
	await lab.tick("order-books");
	const stored = "select count(*)::int4 as orders from market_index.market_order where is_active";
	expect(await database.db.query(stored)).toEqual([{ orders: 1 }]);
	expect(await lab.row(id)).toMatchObject({ listed_count: null });
});

test("a side counts as read only when its own reading came to an end", async () => {
	const { id, address } = await watched("sides");
	const read = async () => {
		await lab.set(id, "orders_due_at = '2026-02-01'");
		await lab.tick("order-books");
		const { orders_at, offers_at } = await lab.row(id);
		return [orders_at, offers_at].map((at) => at !== null);
	};
	const one = { items: [listingOf(address)], cursor: null };
	lab.fake.answers.listings = async () => ({ items: [], cursor: null, isUnknown: true });
	lab.fake.answers.offers = async () => ({ items: [], cursor: null, isUnknown: true });
	expect(await read()).toEqual([false, false]);
	lab.fake.answers.listings = async (_slug, { cursor }) => {
		if (cursor !== undefined) throw lab.fake.faults.unreadable();
		return { ...one, cursor: "2" };
	};
	expect(await read()).toEqual([false, false]);
	lab.fake.answers.listings = async () => one;
	lab.fake.fail("offers", lab.fake.faults.unavailable());
	expect(await read()).toEqual([true, false]);
	lab.fake.fail("offers", null);
	lab.fake.answers.offers = async () => ({ items: [], cursor: null });
	expect(await read()).toEqual([true, true]);
});

test("a book with many pages is read to its end over several runs, each page once, and gone orders retire", async () => {
	const { id, address } = await watched("big");
	const sold = listingOf(address);
	const orders = [...Array.from({ length: 23 }, () => listingOf(address)), sold];
	let left = Number.POSITIVE_INFINITY;
	lab.fake.answers.listings = async (_slug, { cursor }) => {
		if (left-- <= 0) throw lab.fake.faults.rateLimited(20_000);
		const at = Number(cursor ?? 0);
		return { items: orders.slice(at, at + 2), cursor: at + 2 < orders.length ? `${at + 2}` : null };
	};
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({ listed_count: 24, book_progress: null });
	orders.pop();
	lab.time.nowMs += 60_000;
	const begunMs = lab.time.nowMs;
	lab.fake.calls.length = 0;
	let ticks = 0;
	const isRead = async () => ((await lab.row(id))["orders_at"] as Date).getTime() >= begunMs;
	for (; !(await isRead()) && ticks < 20; ticks++) {
		left = 5;
		await lab.touch(id, "stream");
		await lab.tick("order-books");
		lab.time.nowMs += 20_000;
	}
	expect(ticks).toBe(3);
	const cursors = lab.fake.callsOf("listings").map(({ options }) => options["cursor"] ?? "0");
	expect(new Set(cursors).size).toBe(12);
	// A page that was refused is asked for again, and no other.
	expect(cursors).toHaveLength(12 + 2);
	expect(await lab.row(id)).toMatchObject({ listed_count: 23, book_progress: null });
	const retired = `select '0x' || encode(order_hash, 'hex') as hash from market_index.market_order
		where not is_active`;
	expect(await database.db.query(retired)).toEqual([{ hash: sold.orderHash }]);
});

test("a reading that is interrupted for too long begins again", async () => {
	const { id, address } = await watched("slow");
	lab.fake.answers.listings = async (_slug, { cursor }) => {
		if (cursor !== undefined) throw lab.fake.faults.rateLimited(20_000);
		return { items: [listingOf(address)], cursor: "2" };
	};
	await lab.tick("order-books");
	expect(await lab.row(id)).toMatchObject({ book_progress: { listings: { cursor: "2" } } });
	lab.time.nowMs += 600_001;
	await lab.touch(id, "stream");
	lab.fake.calls.length = 0;
	await lab.tick("order-books");
	expect(lab.fake.callsOf("listings").map(({ options }) => options["cursor"])[0]).toBeUndefined();
});

test("a failing side of a book does not affect the other one", async () => {
	const { address } = await watched("half");
	lab.fake.answers.listings = async (_slug, { cursor }) => {
		if (cursor !== undefined) throw lab.fake.faults.unreadable();
		return { items: [listingOf(address)], cursor: "2" };
	};
	lab.fake.fail("offers", lab.fake.faults.unavailable());
	await lab.tick("order-books");
	const stored = "select count(*)::int4 as orders from market_index.market_order where is_active";
	expect(await database.db.query(stored)).toEqual([{ orders: 1 }]);
	expect(lab.fake.callsOf("stats")).toHaveLength(1);
	expect(lab.fake.callsOf("listings")).toHaveLength(2);
	expect(lab.fake.callsOf("offers")).toHaveLength(1);
});
