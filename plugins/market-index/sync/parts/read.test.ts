import { expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf, statsOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

// Guarantee: each part of an answer is kept, and is not asked for again because another failed.

let lab: SyncLab;
withSyncLab((made) => {
	lab = made.lab;
});

const HALF = (ETH / 2n).toString();
const asked = () => {
	const methods = ["slugOf", "collection", "stats", "bestListings", "events"] as const;
	return Object.fromEntries(methods.map((method) => [method, lab.fake.callsOf(method).length]));
};
const ONCE = { slugOf: 1, collection: 1, stats: 1, bestListings: 1, events: 1 };

for (const method of ["stats", "bestListings", "events"] as const) {
	test(`answers that came before ${method} met a rate limit are kept, and only the rest is requested`, async () => {
		const { id, address } = await lab.register();
		lab.know(address, `kept-${method.toLowerCase()}`);
		lab.fake.fail(method, lab.fake.faults.rateLimited(20_000));
		await lab.sync(id);
		const row = await lab.row(id);
		expect(row).toMatchObject({ sync_status: "queued", failures: 0, name: "Cats" });
		expect(row["provider_slug"]).toBe(`kept-${method.toLowerCase()}`);
		if (method !== "stats") expect(row).toMatchObject({ floor_native: HALF, provider_owners: 40 });
		if (method === "events") expect(row).toMatchObject({ listed_count: 0 });
		lab.fake.fail(method, null);
		lab.time.nowMs += 20_000;
		await lab.sync(id);
		expect(asked()).toEqual({ ...ONCE, [method]: 2 });
		expect(await lab.row(id)).toMatchObject({
			...{ sync_status: "synced", floor_native: HALF, provider_owners: 40, listed_count: 0 },
			parts: null,
		});
	});

	test(`${method} that fails affects only its own part: all other parts are stored`, async () => {
		const { id, address } = await lab.register();
		lab.know(address, `failed-${method.toLowerCase()}`);
		lab.fake.fail(method, lab.fake.faults.unavailable());
		await lab.sync(id);
		const row = await lab.row(id);
		expect(row).toMatchObject({ sync_status: "failed", failed_code: "provider_unavailable" });
		if (method !== "stats") expect(row).toMatchObject({ floor_native: HALF, provider_owners: 40 });
		if (method !== "bestListings") expect(row).toMatchObject({ listed_count: 0 });
		if (method !== "events") expect(row["events_until"]).not.toBeNull();
		lab.fake.fail(method, null);
		lab.time.nowMs += 60_000;
		await lab.sync(id);
		expect(asked()).toEqual({ ...ONCE, [method]: 2 });
		expect(await lab.row(id)).toMatchObject({ sync_status: "synced", failures: 0 });
	});
}

test("[MRG-15] unreadable stats fail only themselves, and no sync", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "unread");
	await lab.sync(id);
	lab.fake.fail("stats", lab.fake.faults.unreadable());
	lab.fake.answers.bestListings = async () => ({
		items: [listingOf(address, { totalRaw: ETH })],
		cursor: null,
	});
	await lab.sync(id);
	const row = await lab.row(id);
	// What was known of owners stays; the floor is the best ask, which was read.
	expect(row).toMatchObject({ sync_status: "synced", failures: 0, provider_owners: 40 });
	expect(row).toMatchObject({ floor_native: ETH.toString(), listed_count: 1 });
	lab.fake.answers.bestListings = async () => ({ items: [], cursor: null });
	await lab.sync(id);
	// The stats see more markets than the book: unread, they do not say that nobody sells.
	expect(await lab.row(id)).toMatchObject({ floor_native: ETH.toString(), listed_count: 0 });
});

test("a rate limit between two pages of listings is waited for: the first is not read again", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "listed");
	let calls = 0;
	lab.fake.answers.bestListings = async (_slug, { cursor }) => {
		if (++calls === 2) throw lab.fake.faults.rateLimited(20_000);
		const page = Number(cursor ?? 0);
		return { items: [listingOf(address)], cursor: page < 2 ? String(page + 1) : null };
	};
	await lab.sync(id);
	expect(lab.waited).toEqual([20_000]);
	expect(calls).toBe(3 + 1);
	expect(await lab.row(id)).toMatchObject({ sync_status: "synced", listed_count: 3 });
});

/** A list of three pages of one listing each, of which the given one fails; answers its calls. */
function listOfThree(contract: Address, failing: { page: number | null; error: () => Error }) {
	const pages = [1n, 2n, 3n].map((price) => listingOf(contract, { totalRaw: price * ETH }));
	const calls: number[] = [];
	lab.fake.answers.stats = async () => statsOf({ floor: null });
	lab.fake.answers.bestListings = async (_slug, { cursor }) => {
		const page = Number(cursor ?? 1);
		calls.push(page);
		if (page === failing.page) throw failing.error();
		return { items: pages.slice(page - 1, page), cursor: page < 3 ? `${page + 1}` : null };
	};
	return { calls, pages };
}

test("listings that end early give the best ask so far, and continue after the last page", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "cut");
	const failing = { page: 2 as number | null, error: () => lab.fake.faults.unavailable() };
	const { calls } = listOfThree(address, failing);
	await lab.sync(id);
	const floor = { floor_native: ETH.toString() };
	expect(await lab.row(id)).toMatchObject({ ...floor, sync_status: "failed", listed_count: null });
	for (const page of [3, 3, null]) {
		failing.page = page;
		await lab.sync(id);
		lab.time.nowMs += 60_000;
		expect(await lab.row(id)).toMatchObject({
			...{ ...floor, sync_status: page ? "failed" : "synced", listed_count: page ? null : 3 },
			// A page that came is progress: the wait does not grow over it.
			failures: page === null ? 0 : calls.length - 3,
		});
	}
	expect(calls).toEqual([1, 2, 2, 3, 3, 3]);
	expect(asked()).toMatchObject({ collection: 1, stats: 1 });
	// The count is as old as its first page.
	expect(await lab.row(id)).toMatchObject({ parts: null, listed_at: new Date(NOW_MS) });
});

test("a first page of listings that did not arrive is asked for again without a cursor", async () => {
	const { rateLimited, unavailable } = lab.fake.faults;
	for (const [at, error] of [() => rateLimited(20_000), unavailable].entries()) {
		const { id, address } = await lab.register();
		lab.know(address, `unbegun-${at}`);
		const cursors: (string | undefined)[] = [];
		lab.fake.answers.bestListings = async (_slug, { cursor }) => {
			cursors.push(cursor);
			// The provider refuses any cursor that it did not give.
			if (cursor !== undefined) throw lab.fake.faults.refused();
			if (cursors.length === 1) throw error();
			return { items: [listingOf(address)], cursor: null };
		};
		await lab.sync(id);
		lab.time.nowMs += 60_000;
		await lab.sync(id);
		expect(cursors).toEqual([undefined, undefined]);
		expect(await lab.row(id)).toMatchObject({ sync_status: "synced", listed_count: 1 });
	}
});

test("listings are read from the first page after a refused cursor, ten minutes, or the best ask's end", async () => {
	const { unavailable, refused } = lab.fake.faults;
	const cases: [() => Error, laterMs: number, endsMs: number, calls: number[]][] = [
		[unavailable, 600_000, 900_000, [1, 2, 2, 3]],
		[unavailable, 600_001, 900_000, [1, 2, 1, 2, 3]],
		[unavailable, 60_000, 60_000, [1, 2, 1, 2, 3]],
		[refused, 60_000, 900_000, [1, 2, 1, 2, 3]],
	];
	for (const [at, [error, laterMs, endsMs, calls]] of cases.entries()) {
		const { id, address } = await lab.register();
		lab.know(address, `anew-${at}`);
		const failing = { page: 2 as number | null, error };
		const list = listOfThree(address, failing);
		const [first] = list.pages;
		if (first) list.pages[0] = { ...first, expiresAtMs: lab.time.nowMs + endsMs };
		await lab.sync(id);
		failing.page = null;
		lab.time.nowMs += laterMs;
		await lab.sync(id);
		expect(list.calls).toEqual(calls);
		const hasEnded = laterMs >= endsMs;
		expect(await lab.row(id)).toMatchObject({
			listed_count: hasEnded ? 2 : 3,
			floor_native: (hasEnded ? 2n * ETH : ETH).toString(),
		});
	}
});

test("stored listings are read again if the best ask among them is gone", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "sold");
	const failing = { page: 2 as number | null, error: lab.fake.faults.unavailable };
	const { calls, pages } = listOfThree(address, failing);
	const [first] = pages;
	if (!first) throw new Error("no listing");
	await lab.sync(id);
	await lab.applyOrderPush({ type: "order", slug: "sold", order: first });
	const { orderHash, chainId } = first;
	await lab.applyOrderPush({ type: "order_gone", slug: "sold", orderHash, chainId });
	failing.page = null;
	lab.time.nowMs += 60_000;
	await lab.sync(id);
	expect(calls).toEqual([1, 2, 1, 2, 3]);
});

test("a call that fails alone is repeated at once; an unreachable provider is not called again", async () => {
	for (const isAway of [false, true]) {
		const { id, address } = await lab.register();
		const slug = isAway ? "away" : "alone";
		lab.know(address, slug);
		const before = asked();
		let fails = true;
		lab.fake.connected = false;
		lab.fake.answers.stats = async () => {
			lab.fake.connected = !isAway;
			if (fails) {
				fails = false;
				throw lab.fake.faults.unavailable();
			}
			return statsOf();
		};
		await lab.sync(id);
		expect((asked()["stats"] ?? 0) - (before["stats"] ?? 0)).toBe(isAway ? 1 : 2);
		expect(await lab.row(id)).toMatchObject({ sync_status: isAway ? "failed" : "synced" });
	}
});

test("a contract's slug stays stored if the next call fails", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "named");
	lab.fake.fail("collection", lab.fake.faults.unavailable());
	await lab.sync(id);
	lab.fake.fail("collection", null);
	await lab.sync(id);
	expect(asked()).toEqual({ ...ONCE, collection: 2 });
});

test("a repair reads all parts, also those that an earlier sync has stored", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "repaired");
	lab.fake.fail("events", lab.fake.faults.unavailable());
	await lab.sync(id);
	lab.fake.fail("events", null);
	lab.time.nowMs += 20_000;
	await lab.resync(id);
	await lab.sync(id);
	expect(asked()).toEqual({ ...ONCE, collection: 2, stats: 2, bestListings: 2, events: 2 });
});

test("parts of a sync that are older than the longest wait are read again", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "old");
	lab.fake.fail("events", lab.fake.faults.unavailable());
	await lab.sync(id);
	lab.fake.fail("events", null);
	lab.time.nowMs = NOW_MS + 2_400_001;
	await lab.sync(id);
	expect(asked()).toMatchObject({ collection: 2, stats: 2, bestListings: 2 });
});

test("a rate limit that ends within seconds is waited for by the sync that met it", async () => {
	const { id, address } = await lab.register();
	lab.know(address, "brief");
	let calls = 0;
	lab.fake.answers.stats = async () => {
		if (++calls < 4) throw lab.fake.faults.rateLimited(700);
		return statsOf();
	};
	await lab.sync(id);
	expect(lab.waited).toEqual([700, 700, 700]);
	expect(asked()).toEqual({ ...ONCE, stats: 4 });
	expect(await lab.row(id)).toMatchObject({ sync_status: "synced" });
});
