import { describe, expect, test } from "bun:test";
import type { Fault } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";
import { claimSyncs } from "#plugins/market-index/sync/sql/syncs.ts";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import {
	detailOf,
	listingOf,
	saleEventOf,
	statsOf,
} from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import {
	base,
	ETH,
	ethereum,
	NOW_MS,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

describe("fullSyncJob", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	withSyncLab((made) => {
		({ database, lab } = made);
	});

	const ids = () =>
		lab.queued.map(({ payload }) => (payload as { collectionId: number }).collectionId);

	test("[MRG-11] a run queues 24 collections, the next run the next ones", async () => {
		for (let count = 0; count < 50; count++) await lab.register();
		await lab.tick("full-sync");
		expect(ids()).toHaveLength(24);
		await lab.tick("full-sync");
		await lab.tick("full-sync");
		expect(new Set(ids()).size).toBe(50);
		await lab.tick("full-sync");
		expect(ids()).toHaveLength(50);
	});

	test("processes that run simultaneously queue no collection twice", async () => {
		for (let count = 0; count < 30; count++) await lab.register();
		const jobs = Array.from({ length: 4 }, () => lab.another().jobs[0]);
		const { signal } = new AbortController();
		await Promise.all(jobs.map((job) => job?.run({ signal })));
		expect(new Set(ids()).size).toBe(ids().length);
	});

	test("[API-16] collections are queued never synced first, then watched, then stalest", async () => {
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

	test("[API-16] watched collections are queued with priority 1, all others with 5", async () => {
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

	test("[MRG-12] a failed collection is queued after its wait, even if nobody opens it", async () => {
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

	test("collections of chains that are not indexed, and excluded ones, are not queued", async () => {
		await lab.register({ chainId: polygon.id });
		await lab.register();
		await database.db.execute(
			"update market_index.collection set excluded = true where chain_id = 1",
		);
		await lab.tick("full-sync");
		expect(ids()).toEqual([]);
	});

	test("[MRG-11] no collection is queued until the provider's rate limit is over", async () => {
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
});

describe("fullSyncTask", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	withSyncLab((made) => {
		({ database, lab } = made);
	});

	const HALF = (ETH / 2n).toString();

	test("[MRG-11] full syncs have their own five workers in each process", () => {
		const [task] = lab.another().tasks;
		expect(task?.name).toBe("market-index.full-sync");
		expect(task?.lane).toEqual({ name: "sync", concurrency: 5 });
	});

	test("[MRG-17] the first full sync sets name, floor, volume's sales, owners, listed, supply and slug", async () => {
		lab.prices.setEth(2_000);
		const collection = await lab.register();
		const { address, id } = collection;
		lab.know(address, "tidal-cats");
		const tokenId = 7n;
		lab.fake.answers.bestListings = async () => ({
			items: [listingOf(address, { tokenId }), listingOf(address, { tokenId }), listingOf(address)],
			cursor: null,
		});
		const sale = saleEventOf(address);
		lab.fake.answers.events = async () => ({ items: [sale], cursor: null });
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			sync_status: "synced",
			name: "Cats",
			slug: "tidal-cats",
			provider_slug: "tidal-cats",
			floor_native: HALF,
			floor_price: 0.5,
			floor_symbol: "ETH",
			floor_usd: 1_000,
			provider_owners: 40,
			provider_supply: "100",
			listed_count: 2,
			provider_stats: statsOf().raw,
			last_provider_at: new Date(NOW_MS),
			events_until: new Date(NOW_MS),
			failures: 0,
		});
		expect(lab.merged).toEqual([[expect.objectContaining(collection), [sale]]]);
		expect(lab.fake.calls.every(({ purpose }) => purpose === "background")).toBe(true);
		// Nothing but the cheapest listings: whole books are read for those who look.
		expect(lab.fake.callsOf("listings").length + lab.fake.callsOf("offers").length).toBe(0);
	});

	test("[MRG-02] a floor and owners of zero of a new collection are unknown, and read again soon", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "new");
		lab.fake.answers.stats = async () => statsOf({ floor: null, owners: null });
		await lab.sync(id);
		const row = await lab.row(id);
		expect(row).toMatchObject({ sync_status: "synced", floor_native: null, provider_owners: null });
		expect(row["next_at"]).toEqual(new Date(NOW_MS + 2 * MINUTE_MS));
		lab.fake.answers.stats = async () => statsOf();
		await lab.sync(id);
		const counted = await lab.row(id);
		expect(counted).toMatchObject({ floor_native: HALF, provider_owners: 40 });
		expect(counted["next_at"]).toEqual(new Date(NOW_MS + 10 * MINUTE_MS));
	});

	test("[MRG-02] [MRG-04] a value that the provider stops reporting is not erased", async () => {
		lab.prices.setEth(2_000);
		const { id, address } = await lab.register();
		lab.know(address, "kept");
		await lab.sync(id);
		lab.prices.setEth(null);
		lab.fake.answers.collection = async () =>
			detailOf(address, { slug: "kept", name: null, totalSupply: 0n });
		lab.fake.answers.stats = async () => statsOf({ owners: null, floor: null });
		// More listings than are read, none in a currency with a rate: nothing is learned of the floor.
		lab.fake.answers.bestListings = async (_slug, { cursor }) => ({
			items: [listingOf(address, { currency: address, symbol: "ODD" })],
			cursor: `${cursor ?? ""}+`,
		});
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			name: "Cats",
			floor_native: HALF,
			floor_usd: 1_000,
			provider_owners: 40,
			provider_supply: "100",
			listed_count: 0,
		});
		expect(lab.fake.callsOf("bestListings")).toHaveLength(1 + 5);
	});

	test("the provider's data about a collection's identity is kept until the provider changes it", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "told");
		const told: unknown[] = [];
		for (const safelistStatus of ["verified", "disabled_top_trending", "verified", null]) {
			lab.fake.answers.collection = async () => detailOf(address, { slug: "told", safelistStatus });
			await lab.sync(id);
			told.push((await lab.row(id))["safelist_status"]);
		}
		expect(told).toEqual(["verified", "disabled_top_trending", "verified", null]);
	});

	test("[MRG-02] a floor whose listings are all gone is unknown, and the listed count is 0", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "gone");
		await lab.sync(id);
		lab.fake.answers.stats = async () => statsOf({ floor: null });
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			floor_native: null,
			floor_usd: null,
			listed_count: 0,
		});
	});

	test("[MRG-02] a new floor uses the last rate while there is none of today", async () => {
		lab.prices.setEth(2_000);
		const { id, address } = await lab.register();
		lab.know(address, "rated");
		await lab.sync(id);
		lab.prices.setEth(null);
		lab.fake.answers.stats = async () => statsOf({ floor: { value: 1, symbol: "ETH" } });
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ floor_native: ETH.toString(), floor_usd: 2_000 });
	});

	test("[MRG-05] a floor quoted in another currency is not used, with or without a rate: the best ask is", async () => {
		lab.prices.setEth(2_000);
		const { id, address } = await lab.register();
		lab.know(address, "apes");
		lab.fake.answers.stats = async () => statsOf({ floor: { value: 10, symbol: "APE" } });
		lab.fake.answers.bestListings = async () => ({
			items: [listingOf(address, { totalRaw: 3n * ETH, quantity: 2n })],
			cursor: null,
		});
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			floor_native: ((3n * ETH) / 2n).toString(),
			floor_symbol: "ETH",
		});
		const currency = `0x${"a9".repeat(20)}` as const;
		lab.prices.set({ chainId: ethereum.id, currency, usd: 4, symbol: "APE" });
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			floor_native: ((3n * ETH) / 2n).toString(),
			floor_symbol: "ETH",
		});
	});

	test("a slug of several contracts gives none of them its figures; each gets its own listings", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "many");
		const contracts = [
			{ chainId: ethereum.id, address },
			{ chainId: base.id, address },
		];
		lab.fake.answers.collection = async () => detailOf(address, { slug: "many", contracts });
		lab.fake.answers.bestListings = async () => ({
			items: [
				listingOf(address, { chainId: base.id, totalRaw: 1n }),
				listingOf(address, { totalRaw: 2n * ETH }),
			],
			cursor: null,
		});
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			floor_native: (2n * ETH).toString(),
			provider_owners: null,
			provider_supply: null,
			listed_count: 1,
		});
	});

	test("a contract that the provider does not know is synced as unknown, and read again later", async () => {
		const { id } = await lab.register();
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			sync_status: "synced",
			provider_slug: null,
			floor_native: null,
			next_at: new Date(NOW_MS + 30 * MINUTE_MS),
		});
		expect(lab.fake.callsOf("stats")).toHaveLength(0);
	});

	test("a slug is never taken from another collection, and never leads to another address", async () => {
		const first = await lab.register();
		lab.know(first.address, "cats");
		await lab.sync(first.id);
		const second = await lab.register();
		lab.know(second.address, "cats");
		await lab.sync(second.id);
		expect(await lab.row(second.id)).toMatchObject({ slug: second.address, provider_slug: null });
		expect(await lab.row(first.id)).toMatchObject({ slug: "cats", provider_slug: "cats" });
		const third = await lab.register();
		lab.know(third.address, `0x${"12".repeat(20)}`);
		await lab.sync(third.id);
		expect(await lab.row(third.id)).toMatchObject({ slug: third.address, sync_status: "synced" });
	});

	test("a slug that now belongs to another collection is looked up again by the contract", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "first");
		await lab.sync(id);
		const { answers } = lab.fake;
		const other = await lab.register();
		answers.collection = async (slug) =>
			detailOf(slug === "first" ? other.address : address, { slug });
		answers.slugOf = async () => "second";
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ provider_slug: "second", slug: "second" });
	});

	test("[MRG-15] [MRG-17] unreadable listings leave their own figures unknown, and the rest is stored", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "unread");
		lab.fake.fail("bestListings", lab.fake.faults.unreadable());
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			sync_status: "synced",
			provider_slug: "unread",
			floor_native: HALF,
			listed_count: null,
		});
	});

	const FAILURES: [string, "stats" | "collection", (lab: SyncLab) => Fault][] = [
		["provider_unavailable", "stats", ({ fake }) => fake.faults.unavailable()],
		["provider_unreadable", "collection", ({ fake }) => fake.faults.unreadable()],
		["provider_refused", "stats", ({ fake }) => fake.faults.refused()],
	];

	for (const [code, method, make] of FAILURES) {
		test(`[MRG-12] ${code}: nothing is overwritten, and the wait grows from 1 to 30 minutes`, async () => {
			const { id, address } = await lab.register();
			lab.know(address, `cats-${code}`);
			await lab.sync(id);
			lab.fake.fail(method, make(lab));
			const waits: number[] = [];
			for (let turn = 0; turn < 7; turn++) {
				await lab.sync(id);
				waits.push(((await lab.row(id))["next_at"] as Date).getTime() - NOW_MS);
			}
			expect(waits.map((ms) => ms / MINUTE_MS)).toEqual([1, 2, 4, 8, 16, 30, 30]);
			expect(await lab.row(id)).toMatchObject({
				sync_status: "failed",
				failed_code: code,
				failures: 7,
				floor_native: HALF,
			});
			// The adapter tells it, once a minute for all collections.
			expect(lab.said).toEqual([]);
			lab.fake.fail(method, null);
			await lab.sync(id);
			expect(await lab.row(id)).toMatchObject({
				sync_status: "synced",
				failures: 0,
				failed_code: null,
			});
		});
	}

	test("a failed sync that stored a new part waits only a minute, so that its parts stay valid", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "halting");
		const fault = lab.fake.faults.unavailable();
		const waited = async () => {
			await lab.sync(id);
			return (((await lab.row(id))["next_at"] as Date).getTime() - NOW_MS) / MINUTE_MS;
		};
		lab.fake.fail("collection", fault);
		// The contract's slug is told the first time, and nothing after it.
		expect([await waited(), await waited(), await waited()]).toEqual([1, 2, 4]);
		lab.fake.fail("collection", null);
		lab.fake.fail("stats", fault);
		expect([await waited(), await waited()]).toEqual([1, 2]);
	});

	test("a part that always fails is requested ever less often, even if other parts expire meanwhile", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "half");
		lab.fake.fail("stats", lab.fake.faults.unavailable());
		const waits: number[] = [];
		for (let turn = 0; turn < 10; turn++) {
			await lab.sync(id);
			const waitMs = ((await lab.row(id))["next_at"] as Date).getTime() - lab.time.nowMs;
			waits.push(waitMs / MINUTE_MS);
			lab.time.nowMs += waitMs;
		}
		expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
		// Parts of an hour ago were asked for again.
		expect(lab.fake.callsOf("collection").length).toBeGreaterThan(1);
	});

	test("[MRG-11] a rate limit does not count as a failure: the collection is queued again, and other syncs wait", async () => {
		const { id, address } = await lab.register();
		const other = await lab.register();
		lab.know(address, "limited");
		lab.fake.failAll(lab.fake.faults.rateLimited(5_000));
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({
			sync_status: "queued",
			failures: 0,
			failed_code: null,
			next_at: new Date(NOW_MS + 5_000),
		});
		const asked = lab.fake.calls.length;
		await lab.sync(other.id);
		expect(lab.fake.calls).toHaveLength(asked);
		expect(await lab.row(other.id)).toMatchObject({ next_at: new Date(NOW_MS + 5_000) });
		expect(lab.said).toEqual([]);
		lab.time.nowMs += 5_000;
		lab.fake.failAll(null);
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ sync_status: "synced" });
	});

	test("a stopped worker queues its collection again; one that timed out records a failure", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "stopped");
		const stop = new AbortController();
		lab.fake.answers.stats = async () => {
			stop.abort();
			throw stop.signal.reason;
		};
		await lab.sync(id, { signal: stop.signal });
		expect(await lab.row(id)).toMatchObject({ sync_status: "queued", failures: 0 });
		const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
		lab.fake.answers.stats = async () => {
			throw late.reason;
		};
		await lab.sync(id, { signal: late });
		expect(await lab.row(id)).toMatchObject({ sync_status: "failed", failed_code: "internal" });
	});

	test("a collection is synced by one worker at a time; a dead worker's sync is resumed", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "shared");
		let inside = 0;
		let most = 0;
		lab.fake.answers.stats = async () => {
			most = Math.max(most, ++inside);
			await lab.sync(id);
			inside--;
			return statsOf();
		};
		await lab.sync(id);
		expect(most).toBe(1);
		lab.fake.answers.stats = async () => statsOf();
		await database.db.execute("update market_index.collection set sync_status = 'syncing'");
		await lab.sync(id);
		expect(lab.fake.callsOf("stats")).toHaveLength(1);
		lab.time.nowMs += 2 * MINUTE_MS;
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ sync_status: "synced" });
	});

	test("characters that jsonb refuses are removed before a record is stored", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "nul");
		const detail = detailOf(address, { slug: "nul", raw: { note: "a\u0000b" } });
		lab.fake.answers.collection = async () => detail;
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ provider_row: { note: "a\ufffdb" } });
	});

	test("without a provider nothing is requested and nothing changes", async () => {
		lab = createSyncLab(database.db, { isOn: false });
		const { id } = await lab.register();
		await lab.sync(id);
		for (const job of ["full-sync", "lean-sync", "order-books"]) await lab.tick(job);
		expect(lab.fake.calls).toEqual([]);
		expect(await lab.row(id)).toMatchObject({ sync_status: "queued", collection_id: null });
	});

	/** The provider's answer to one call, given when the test lets it. */
	function held<Answer>() {
		const { promise, resolve } = Promise.withResolvers<Answer>();
		const asked = Promise.withResolvers<void>();
		return {
			asked: asked.promise,
			resolve,
			answer: async () => {
				asked.resolve();
				return promise;
			},
		};
	}

	test("a worker that was suspended overwrites nothing of the worker that resumed its sync", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		const slow = held<ReturnType<typeof statsOf>>();
		lab.fake.answers.stats = slow.answer;
		const sleeper = lab.sync(id);
		await slow.asked;
		lab.time.nowMs += 90_000;
		const quick = held<ReturnType<typeof statsOf>>();
		lab.fake.answers.stats = quick.answer;
		const heir = lab.sync(id);
		await quick.asked;
		slow.resolve(statsOf({ floor: { value: 9, symbol: "ETH" }, owners: 9 }));
		await sleeper;
		expect(await lab.row(id)).toMatchObject({ sync_status: "syncing", floor_native: null });
		quick.resolve(statsOf());
		await heir;
		expect(await lab.row(id)).toMatchObject({
			sync_status: "synced",
			floor_native: HALF,
			provider_owners: 40,
		});
		expect(lab.said).toEqual([]);
	});

	test("a suspended worker that then fails changes nothing of the worker that resumed its sync", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		const slow = held<never>();
		lab.fake.answers.stats = async () => {
			await slow.answer();
			throw new Error("late");
		};
		const sleeper = lab.sync(id);
		await slow.asked;
		lab.time.nowMs += 90_000;
		lab.know(address, "cats");
		await lab.sync(id);
		slow.resolve(undefined as never);
		await sleeper;
		expect(await lab.row(id)).toMatchObject({ sync_status: "synced", failures: 0 });
	});

	test("[MRG-13] a cheaper listing that is pushed while stats are read stays the floor", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		await lab.sync(id);
		const slow = held<ReturnType<typeof statsOf>>();
		lab.fake.answers.stats = slow.answer;
		lab.time.nowMs += MINUTE_MS;
		const syncing = lab.sync(id);
		await slow.asked;
		lab.time.nowMs += 1_000;
		const order = listingOf(address, { totalRaw: ETH / 4n });
		await lab.applyOrderPush({ type: "order", slug: "cats", order });
		slow.resolve(statsOf({ owners: 41 }));
		await syncing;
		const quarter = (ETH / 4n).toString();
		expect(await lab.row(id)).toMatchObject({ floor_native: quarter, provider_owners: 41 });
		// What a clock ahead of ours wrote holds nobody up.
		await database.db.execute("update market_index.collection set floor_at = '2099-01-01'");
		lab.know(address, "cats");
		await lab.sync(id);
		expect(await lab.row(id)).toMatchObject({ floor_native: HALF });
	});

	test("stats of a later request are not overwritten by those of an earlier one", async () => {
		const { id, address } = await lab.register();
		lab.know(address, "cats");
		const slow = held<ReturnType<typeof statsOf>>();
		lab.fake.answers.stats = slow.answer;
		const syncing = lab.sync(id);
		await slow.asked;
		lab.time.nowMs += 1_000;
		await database.db.execute(
			`update market_index.collection set provider_owners = 42, provider_stats = '{"newer":true}',
			provider_stats_at = $1`,
			[new Date(lab.time.nowMs)],
		);
		slow.resolve(statsOf());
		await syncing;
		expect(await lab.row(id)).toMatchObject({
			sync_status: "synced",
			provider_owners: 42,
			provider_stats: { newer: true },
			provider_supply: "100",
		});
	});
});
