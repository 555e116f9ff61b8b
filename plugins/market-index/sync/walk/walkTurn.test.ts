import { expect, test } from "bun:test";
import { DAY_MS } from "#core/time.ts";
import { endSync } from "#plugins/market-index/sync/fullSync.ts";
import { lockSync, nameSync } from "#plugins/market-index/sync/sql/syncs.ts";
import { createEventList } from "#plugins/market-index/sync/testing/createEventList.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { saleEventOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { claimTurn } from "#plugins/market-index/sync/walk/turns.ts";
import { walkTurn } from "#plugins/market-index/sync/walk/walkTurn.ts";
import { NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what a walk has read it has read for good, whoever goes on with it, whatever breaks.

let database: TestDatabase;
let lab: SyncLab;
withSyncLab((made) => {
	({ database, lab } = made);
});

const PAGE = 200;
/** An hour, in which whoever is asked at each turn is asked many times more than one that waits. */
const HOUR_OF_TURNS = 60;
const TURN_MS = 60_000;

/** A collection that the provider knows, with a day of sales in its list. */
async function trading(sales: number) {
	const collection = await lab.register();
	await lab.discovered([collection.id]);
	const slug = `c${collection.id}`;
	await lab.set(collection.id, `provider_slug = '${slug}'`);
	const list = createEventList({ pageSize: PAGE });
	const stepMs = DAY_MS / (sales + 1);
	for (let sale = 1; sale <= sales; sale++) list.add(NOW_MS - Math.round(sale * stepMs));
	return { ...collection, slug, list };
}
type Trading = Awaited<ReturnType<typeof trading>>;

/** Answers with the lists of these collections. */
function serve(...collections: Trading[]): void {
	lab.fake.answers.events = async (slug, options) => {
		const found = collections.find((one) => one.slug === slug);
		if (!found) return { items: [], cursor: null };
		const { timesMs, next } = found.list.page(options);
		const items = timesMs.map((occurredAtMs) => saleEventOf(found.address, { occurredAtMs }));
		return { items, cursor: next };
	};
}
const asked = () =>
	lab.fake.callsOf("events").map(({ args, options }) => `${args[0]} ${options["cursor"] ?? "-"}`);
const heldOf = ({ id }: Trading) =>
	new Set(
		lab.merged
			.filter(([collection]) => collection.id === id)
			.flatMap(([, events]) => events.map(({ occurredAtMs }) => occurredAtMs)),
	);

test("a rate limit loses no page: the walk continues there, in another process too", async () => {
	const busy = await trading(1_990);
	serve(busy);
	const answer = lab.fake.answers.events;
	let pages = 0;
	lab.fake.answers.events = async (slug, options) => {
		if (++pages % 4 === 0) throw lab.fake.faults.rateLimited(3_000);
		return answer(slug, options);
	};
	for (let tick = 0; tick < 6; tick++) {
		const process = tick % 2 === 0 ? lab : lab.another();
		const job = process.jobs.find(({ name }) => name === "market-index.lean-sync");
		await job?.run({ signal: new AbortController().signal });
		lab.time.nowMs += 3_000;
	}
	const served = asked().filter((_, index) => (index + 1) % 4 !== 0);
	expect(new Set(served).size).toBe(10);
	expect(served).toHaveLength(10);
	expect(heldOf(busy)).toEqual(new Set(busy.list.timesMs()));
	const row = await lab.row(busy.id);
	expect((row["events_from"] as Date).getTime()).toBe(NOW_MS - DAY_MS);
	expect((row["events_until"] as Date).getTime()).toBe(NOW_MS);
	expect(row).toMatchObject({ walk_cursor: null, walk_until: null, turn_until: null });
});

test("the covered time is correct after each page, and empty before the first", async () => {
	const busy = await trading(1_000);
	serve(busy);
	expect(await lab.row(busy.id)).toMatchObject({ events_from: null, walk_reached: null });
	const answer = lab.fake.answers.events;
	let pages = 0;
	lab.fake.answers.events = async (slug, options) => {
		if (++pages === 3) throw lab.fake.faults.rateLimited(1_000);
		return answer(slug, options);
	};
	await lab.tick("lean-sync");
	const row = await lab.row(busy.id);
	expect(row).toMatchObject({ events_from: null, events_until: null, walk_pages: 2 });
	expect((row["walk_until"] as Date).getTime()).toBe(NOW_MS);
	const reachedMs = (row["walk_reached"] as Date).getTime();
	const held = heldOf(busy);
	const since = busy.list.timesMs().filter((timeMs) => timeMs >= reachedMs);
	expect(since.length).toBeGreaterThan(300);
	expect(since.every((timeMs) => held.has(timeMs))).toBe(true);
});

test("full and lean sync take turns in one walk: together they read each page once", async () => {
	const busy = await trading(1_500);
	serve(busy);
	lab.know(busy.address, busy.slug);
	const answer = lab.fake.answers.events;
	let meanwhile: Promise<void> | null = null;
	lab.fake.answers.events = async (slug, options) => {
		// The lean sync begins while the full sync has a page under way, and the other way round.
		if (options.purpose === "background") meanwhile ??= lab.tick("lean-sync");
		return answer(slug, options);
	};
	await lab.sync(busy.id);
	await meanwhile;
	expect((await lab.row(busy.id))["sync_status"]).toBe("syncing");
	await lab.tick("lean-sync");
	expect(new Set(asked()).size).toBe(8);
	expect(asked()).toHaveLength(8);
	// The walk had the first sync go on, which needs nothing more.
	const last = lab.queued.at(-1);
	expect(last).toMatchObject({
		task: "market-index.full-sync",
		payload: { collectionId: busy.id },
	});
	const calls = lab.fake.calls.length;
	await lab.sync(busy.id);
	expect(lab.fake.calls).toHaveLength(calls);
	expect(await lab.row(busy.id)).toMatchObject({ sync_status: "synced", parts: null });
});

test("every collection has its first page before any collection has a second one", async () => {
	const busy = [await trading(990), await trading(990), await trading(990)];
	const quiet = await Promise.all(Array.from({ length: 12 }, () => trading(5)));
	serve(...busy, ...quiet);
	const context = { core: lab.core, provider: lab.fake.provider, merge: async () => {} };
	const asking = { purpose: "endless", signal: new AbortController().signal } as const;
	// One turn after the other: who is asked for first of several at once is not who came first.
	for (;;) {
		const claim = { kind: "first", chainIds: [1], nowMs: lab.time.nowMs, everyMs: 18_000 } as const;
		const turn = await claimTurn(database.db, claim);
		if (!turn) break;
		await walkTurn(context, turn, asking);
		lab.time.nowMs += 250;
	}
	const slugs = asked().map((one) => one.split(" ")[0]);
	expect(new Set(slugs.slice(0, 15)).size).toBe(15);
	for (let round = 15; round < 27; round += 3) {
		expect(new Set(slugs.slice(round, round + 3)).size).toBe(3);
	}
	expect(slugs).toHaveLength(3 * 5 + 12);
});

test("ten simultaneous walks read each page of busy collections once", async () => {
	const busy = [await trading(2_990), await trading(2_990), await trading(2_990)];
	const quiet = await Promise.all(Array.from({ length: 12 }, () => trading(5)));
	serve(...busy, ...quiet);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = (slug, options) => {
		lab.time.nowMs += 250;
		return answer(slug, options);
	};
	await lab.tick("lean-sync");
	expect(new Set(asked()).size).toBe(3 * 15 + 12);
	expect(asked()).toHaveLength(3 * 15 + 12);
});

test("of the turns three are first days and one a refresh, and four a run while first days wait", async () => {
	const known = await Promise.all(Array.from({ length: 20 }, () => trading(1)));
	serve(...known);
	await lab.tick("lean-sync");
	lab.time.nowMs += 60_000;
	const [waiting, busy] = [await lab.register(), await trading(3_190)];
	await lab.discovered([waiting.id]);
	await database.db.execute("update market_index.collection set registered_at = '2026-01-01'");
	serve(...known, busy);
	lab.fake.calls.length = 0;
	const refreshes = () => asked().filter((one) => !one.startsWith(busy.slug)).length;
	await lab.tick("lean-sync");
	expect(heldOf(busy).size).toBeGreaterThan(3_180);
	// Five for its sixteen pages, and four while others had no page to be read.
	expect(refreshes()).toBeGreaterThanOrEqual(5);
	expect(refreshes()).toBeLessThanOrEqual(5 + 4 + 1);
	const before = asked().length;
	for (let run = 1; run <= 9; run++) {
		lab.time.nowMs += 20_000;
		await lab.tick("lean-sync");
	}
	expect(asked().length - before).toBeGreaterThanOrEqual(9 * 4);
	expect(asked().length - before).toBeLessThanOrEqual(9 * 4 + 1);
	// A sync that failed waits for its own time, and nobody waits for it.
	await database.db.execute("update market_index.sync set failures = 1 where synced_at is null");
	lab.time.nowMs += 20_000;
	const last = asked().length;
	await lab.tick("lean-sync");
	expect(asked().length - last).toBeGreaterThanOrEqual(20);
});

test("after an expired cursor the walk continues by time and leaves no event out", async () => {
	const busy = await trading(970);
	serve(busy);
	const answer = lab.fake.answers.events;
	let refused = 0;
	lab.fake.answers.events = async (slug, options) => {
		if (options.cursor !== undefined && ++refused === 2) throw lab.fake.faults.refused();
		return answer(slug, options);
	};
	await lab.tick("lean-sync");
	expect(heldOf(busy)).toEqual(new Set(busy.list.timesMs()));
	expect(lab.fake.callsOf("events")).toHaveLength(5 + 1);
	expect((await lab.row(busy.id))["events_until"]).toBeInstanceOf(Date);
	expect(lab.said).toEqual([]);
});

test("a list that went back in time is ignored, accepted after several times, and logged once", async () => {
	const trader = await trading(20);
	serve(trader);
	await lab.tick("lean-sync");
	lab.time.nowMs += 60_000;
	trader.list.add(lab.time.nowMs - 1_000);
	await lab.tick("lean-sync");
	const untilMs = lab.time.nowMs;
	const until = async () => ((await lab.row(trader.id))["events_until"] as Date).getTime();
	expect(await until()).toBe(untilMs);
	// An older server answers: the newest sale is not in its list.
	const older = await trading(0);
	lab.fake.answers.events = async () => ({
		items: [saleEventOf(older.address, { occurredAtMs: NOW_MS - 90_000 })],
		cursor: null,
	});
	await lab.set(older.id, "provider_slug = null, failures = 1");
	for (let tick = 0; tick < 2; tick++) {
		lab.time.nowMs += 20_000;
		await lab.tick("lean-sync");
		expect(await until()).toBe(untilMs);
	}
	expect(lab.said).toEqual(["a collection's list of events has gone back in time"]);
	lab.time.nowMs += 20_000;
	await lab.tick("lean-sync");
	expect(await until()).toBe(lab.time.nowMs);
});

test("a failed page is retried later, keeps the pages before it, and delays no other collection", async () => {
	const broken = await trading(500);
	const fine = await trading(500);
	serve(broken, fine);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) => {
		if (slug === broken.slug && options.cursor !== undefined) throw lab.fake.faults.unavailable();
		return answer(slug, options);
	};
	await lab.tick("lean-sync");
	expect(heldOf(fine).size).toBe(500);
	expect(heldOf(broken).size).toBe(PAGE);
	const calls = asked().filter((one) => one.startsWith(broken.slug));
	expect(calls).toHaveLength(2);
	lab.fake.answers.events = answer;
	lab.time.nowMs += 20_000;
	await lab.tick("lean-sync");
	expect(heldOf(broken).size).toBe(500);
	expect(asked().filter((one) => one === `${broken.slug} -`)).toHaveLength(1);
});

test("a walk after a long pause reads one day at most, and does not cover the time before", async () => {
	const trader = await trading(10);
	serve(trader);
	await lab.tick("lean-sync");
	lab.time.nowMs += 3 * DAY_MS;
	await lab.tick("lean-sync");
	const row = await lab.row(trader.id);
	expect((row["events_until"] as Date).getTime()).toBe(lab.time.nowMs);
	expect((row["events_from"] as Date).getTime()).toBe(lab.time.nowMs - DAY_MS);
});

test("a page that can never be read ends its walk after several tries, with the events read before", async () => {
	const broken = await trading(900);
	serve(broken);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) => {
		if (lab.fake.callsOf("events").length > 2) throw lab.fake.faults.unreadable();
		return answer(slug, options);
	};
	for (let run = 0; run < 32; run++) {
		await lab.tick("lean-sync");
		lab.time.nowMs += 20_000;
	}
	// Two pages, and six tries of the third, each later than the one before; then a new walk.
	expect(lab.fake.callsOf("events").length).toBeLessThanOrEqual(2 + 6 + 3);
	const row = await lab.row(broken.id);
	const fromMs = (row["events_from"] as Date).getTime();
	const held = heldOf(broken);
	expect(held.size).toBe(2 * PAGE);
	expect((row["events_until"] as Date).getTime()).toBe(NOW_MS);
	const since = broken.list.timesMs().filter((timeMs) => timeMs >= fromMs);
	expect(since.every((timeMs) => held.has(timeMs))).toBe(true);
	expect(lab.said).toEqual(["a page of a collection's events cannot be read"]);
});

test("an unknown list does not count as a day without events, and is requested ever less often", async () => {
	const gone = await trading(5);
	lab.fake.answers.events = async () => ({ items: [], cursor: null, isUnknown: true });
	lab.know(gone.address, gone.slug);
	await lab.sync(gone.id);
	// The sync ends, and nothing of the day is said to be held.
	const unknown = { events_from: null, events_until: null, walk_until: null };
	expect(await lab.row(gone.id)).toMatchObject({ sync_status: "synced", ...unknown });
	expect(lab.said).toEqual(["the provider knows no list of a collection's events"]);
	const before = lab.fake.callsOf("events").length;
	for (let run = 0; run < HOUR_OF_TURNS; run++) {
		lab.time.nowMs += TURN_MS;
		await lab.tick("lean-sync");
	}
	expect(await lab.row(gone.id)).toMatchObject(unknown);
	// An hour: after 36 s, 72 s … and half an hour.
	expect(lab.fake.callsOf("events").length - before).toBeLessThanOrEqual(7);
	serve(gone);
	lab.time.nowMs += 1_800_000;
	await lab.tick("lean-sync");
	expect((await lab.row(gone.id))["events_until"]).toEqual(new Date(lab.time.nowMs));
});

test("a list that becomes unknown during a walk covers only what was read", async () => {
	const gone = await trading(900);
	serve(gone);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) =>
		lab.fake.callsOf("events").length > 2
			? { items: [], cursor: null, isUnknown: true }
			: answer(slug, options);
	await lab.tick("lean-sync");
	const row = await lab.row(gone.id);
	const fromMs = (row["events_from"] as Date).getTime();
	expect(fromMs).toBeGreaterThan(NOW_MS - DAY_MS / 2);
	expect(row["events_until"]).toEqual(new Date(NOW_MS));
	const held = heldOf(gone);
	const since = gone.list.timesMs().filter((timeMs) => timeMs >= fromMs);
	expect(since.every((timeMs) => held.has(timeMs))).toBe(true);
});

test("a first page that can never be read is requested ever less often, and its first sync ends", async () => {
	const broken = await trading(5);
	lab.fake.fail("events", lab.fake.faults.unreadable());
	lab.know(broken.address, broken.slug);
	for (let run = 0; run < HOUR_OF_TURNS; run++) {
		await lab.tick("lean-sync");
		lab.time.nowMs += TURN_MS;
	}
	expect(lab.fake.callsOf("events").length).toBeLessThanOrEqual(9);
	await lab.sync(broken.id);
	expect(await lab.row(broken.id)).toMatchObject({ sync_status: "synced", events_until: null });
});

test("an outage of the provider ends no walk and does not delay it afterwards", async () => {
	const busy = await trading(900);
	serve(busy);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) => {
		if (lab.fake.callsOf("events").length > 2) throw lab.fake.faults.unavailable();
		return answer(slug, options);
	};
	for (let run = 0; run < 60; run++) {
		await lab.tick("lean-sync");
		lab.time.nowMs += 20_000;
	}
	expect(await lab.row(busy.id)).toMatchObject({ walk_pages: 2, walk_idle: 0, walk_failures: 0 });
	// A page that cannot be read now has all of its tries.
	lab.fake.answers.events = async () => {
		throw lab.fake.faults.unreadable();
	};
	await lab.tick("lean-sync");
	expect((await lab.row(busy.id))["walk_until"]).toBeInstanceOf(Date);
	lab.fake.answers.events = answer;
	lab.time.nowMs += 20_000;
	await lab.tick("lean-sync");
	expect(heldOf(busy)).toEqual(new Set(busy.list.timesMs()));
	expect(lab.said).toEqual([]);
});

test("a collection whose own events fail is requested ever less often, and keeps its walk", async () => {
	const broken = await trading(900);
	const fine = await trading(5);
	serve(broken, fine);
	const answer = lab.fake.answers.events;
	lab.fake.answers.events = async (slug, options) => {
		const isBroken = slug === broken.slug && options.cursor !== undefined;
		if (isBroken) throw lab.fake.faults.unavailable();
		return answer(slug, options);
	};
	for (let run = 0; run < HOUR_OF_TURNS; run++) {
		await lab.tick("lean-sync");
		lab.time.nowMs += TURN_MS;
	}
	// An hour: after 18 s, 36 s … and half an hour.
	const calls = asked().filter((one) => one.startsWith(broken.slug));
	expect(calls.length).toBeLessThanOrEqual(1 + 9);
	expect(asked().filter((one) => one.startsWith(fine.slug)).length).toBeGreaterThan(
		HOUR_OF_TURNS / 2,
	);
	expect(await lab.row(broken.id)).toMatchObject({ walk_pages: 1, walk_failures: 1 });
	lab.fake.answers.events = answer;
	lab.time.nowMs += 1_800_000;
	await lab.tick("lean-sync");
	expect(heldOf(broken)).toEqual(new Set(broken.list.timesMs()));
});

test("during a mint events are read once: a walk begins at the newest event of any kind", async () => {
	const minting = await trading(0);
	const saleMs = NOW_MS - 1_000;
	minting.list.add(saleMs);
	lab.fake.answers.events = async (_slug, options) => {
		const { timesMs, next } = minting.list.page(options);
		const items = timesMs.map((occurredAtMs) => {
			const sale = saleEventOf(minting.address, { occurredAtMs });
			if (sale.type !== "sale" || occurredAtMs === saleMs) return sale;
			const { seller: from, buyer: to, ...shared } = sale;
			return { ...shared, type: "mint", from, to } as const;
		});
		return { items, cursor: next };
	};
	await lab.tick("lean-sync");
	for (let run = 1; run <= 5; run++) {
		const beforeMs = lab.time.nowMs;
		lab.time.nowMs += 600_000;
		for (let mint = 1; mint <= 100; mint++) minting.list.add(beforeMs + mint * 5_000);
		await lab.tick("lean-sync");
		expect(lab.fake.callsOf("events")).toHaveLength(1 + run);
		expect(lab.fake.callsOf("events").at(-1)?.options["afterMs"]).toBe(beforeMs - 120_000);
	}
	expect(heldOf(minting)).toEqual(new Set(minting.list.timesMs()));
});

test("an unreadable row, and the time below it, do not count as covered", async () => {
	const trader = await trading(10);
	serve(trader);
	const answer = lab.fake.answers.events;
	const holeMs = NOW_MS - 3_600_000;
	lab.fake.answers.events = async (slug, options) => ({
		...(await answer(slug, options)),
		unreadable: 1,
		unreadableAtMs: [holeMs],
	});
	await lab.tick("lean-sync");
	const held = async () => {
		const row = await lab.row(trader.id);
		return [row["events_from"], row["events_until"]];
	};
	expect(await held()).toEqual([new Date(holeMs + 1_000), new Date(NOW_MS)]);
	// All the others are stored; and the same row, told again, takes nothing back.
	expect(heldOf(trader)).toEqual(new Set(trader.list.timesMs()));
	lab.time.nowMs += 60_000;
	await lab.tick("lean-sync");
	expect(await held()).toEqual([new Date(holeMs + 1_000), new Date(lab.time.nowMs)]);
});

test("a new slug begins a new walk, which a reader of the old slug no longer changes", async () => {
	const renamed = await trading(900);
	serve(renamed);
	const answer = lab.fake.answers.events;
	let pages = 0;
	lab.fake.answers.events = async (slug, options) => {
		if (++pages === 3) {
			await lab.core.db.transaction((tx) =>
				nameSync(tx, { collectionId: renamed.id, providerSlug: "other", at: new Date(NOW_MS) }),
			);
			throw lab.fake.faults.rateLimited(1_000);
		}
		return slug === "other" ? answer(renamed.slug, options) : answer(slug, options);
	};
	await lab.tick("lean-sync");
	expect(await lab.row(renamed.id)).toMatchObject({ walk_reached: null, walk_until: null });
	lab.time.nowMs += 1_000;
	lab.merged.length = 0;
	await lab.tick("lean-sync");
	expect(heldOf(renamed)).toEqual(new Set(renamed.list.timesMs()));
	expect((await lab.row(renamed.id))["events_until"]).toEqual(new Date(lab.time.nowMs));
});

test("turns that were claimed before the clock was set back delay no collection", async () => {
	const [first, known] = [await trading(5), await trading(5)];
	serve(first, known);
	const ahead = new Date(NOW_MS + 7_200_000).toISOString();
	const turn = `lean_at = '${ahead}', turn_until = '${ahead}'`;
	await lab.set(first.id, turn);
	const heldAt = new Date(NOW_MS - 60_000).toISOString();
	await lab.set(known.id, `${turn}, events_from = '${heldAt}', events_until = '${heldAt}'`);
	await lab.tick("lean-sync");
	expect(new Set(asked())).toEqual(new Set([`${first.slug} -`, `${known.slug} -`]));
});

test("a first sync ends even if another worker ended its walk meanwhile", async () => {
	const trader = await trading(5);
	serve(trader);
	lab.know(trader.address, trader.slug);
	const startedAt = new Date(NOW_MS);
	await lab.set(trader.id, `started_at = '${startedAt.toISOString()}'`);
	await database.db.execute("update market_index.collection set sync_status = 'syncing'");
	await lab.tick("lean-sync");
	await lab.core.db.transaction(async (tx) => {
		const row = await lockSync(tx, trader.id);
		if (!row) throw new Error("no sync");
		const ended = { row: { ...row, startedAt }, parts: {}, walked: "taken" } as const;
		await endSync(tx, { core: lab.core, prices: lab.prices }, ended);
	});
	expect(await lab.row(trader.id)).toMatchObject({ sync_status: "synced" });
});
