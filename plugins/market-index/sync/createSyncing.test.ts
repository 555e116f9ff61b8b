import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewJob } from "#core/queue.ts";
import { DAY_MS } from "#core/time.ts";
import { SUPPLIES_BEHIND_MAX } from "#plugins/market-index/sync/bounds.ts";
import { supplyCatchUpJob } from "#plugins/market-index/sync/createSyncing.ts";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { saleEventOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { claimTurn } from "#plugins/market-index/sync/walk/turns.ts";
import {
	contractOf,
	ethereum,
	NOW_MS,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("followJob", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createSyncLab(database.db);
	});
	afterAll(() => database.drop());

	test("[MRG-13] the stream follows viewed collections, then the most active; none while it is disabled", async () => {
		const ids = new Map<string, number>();
		for (const slug of ["quiet", "active", "seen", "unknown"]) {
			const { id } = await lab.register();
			ids.set(slug, id);
			await lab.discovered([id]);
			if (slug !== "unknown") await lab.set(id, `provider_slug = '${slug}'`);
		}
		await lab.touch(ids.get("seen") ?? -1, "detail");
		await database.db.execute(
			"update market_index.collection set last_sale_at = now() where id = $1",
			[ids.get("active") ?? -1],
		);
		await lab.tick("follow");
		expect(lab.fake.stream.followed).toEqual([]);
		lab.fake.stream.state = "connecting";
		await lab.tick("follow");
		expect(lab.fake.stream.followed).toEqual(["seen", "active", "quiet"]);
	});
});

describe("leanSyncJob", () => {
	let database: TestDatabase;
	let lab: SyncLab;
	withSyncLab((made) => {
		({ database, lab } = made);
	});

	/** Collections that the provider knows, asked for their events so many minutes ago. */
	async function known(...minutes: number[]) {
		const collections = [];
		for (const [index, ago] of minutes.entries()) {
			const collection = await lab.register();
			await lab.discovered([collection.id]);
			const at = new Date(NOW_MS - ago * 60_000).toISOString();
			await lab.set(collection.id, `provider_slug = 'c${index}', lean_at = '${at}'`);
			collections.push(collection);
		}
		return collections;
	}
	const slugs = () => lab.fake.callsOf("events").map(({ args }) => args[0]);

	test("[MRG-11] a run reads recent events of every known collection, ten at a time", async () => {
		await known(...Array.from({ length: 24 }, (_, index) => index + 1));
		let inside = 0;
		let most = 0;
		let open = () => {};
		const tenAreIn = new Promise<void>((done) => {
			open = done;
		});
		lab.fake.answers.events = async () => {
			most = Math.max(most, ++inside);
			if (inside === 10) open();
			await tenAreIn;
			inside--;
			return { items: [], cursor: null };
		};
		await lab.tick("lean-sync");
		expect(new Set(slugs()).size).toBe(24);
		expect(slugs()).toHaveLength(24);
		expect(most).toBe(10);
		lab.time.nowMs += 17_000;
		await lab.tick("lean-sync");
		expect(slugs()).toHaveLength(24);
		lab.time.nowMs += 3_000;
		await lab.tick("lean-sync");
		expect(slugs()).toHaveLength(48);
	});

	test("[MRG-11] a rate limit ends the run, and the next one begins with the stalest collections", async () => {
		const collections = await known(5, 30, 10);
		const lastAsked = () =>
			Promise.all(collections.map(async ({ id }) => (await lab.row(id))["lean_at"]));
		const before = await lastAsked();
		lab.fake.fail("events", lab.fake.faults.rateLimited(3_000));
		await lab.tick("lean-sync");
		// Who was not reached is as stale as before, and so goes first.
		expect(await lastAsked()).toEqual(before);
		const calls = slugs().length;
		await lab.tick("lean-sync");
		expect(slugs()).toHaveLength(calls);
		expect(lab.said).toEqual([]);
		lab.fake.fail("events", null);
		lab.time.nowMs += 3_000;
		const claim = { kind: "first", chainIds: [1], nowMs: lab.time.nowMs, everyMs: 18_000 } as const;
		const order = [];
		for (let turn = 0; turn < 3; turn++) {
			order.push((await claimTurn(database.db, claim))?.providerSlug);
		}
		expect(order).toEqual(["c1", "c2", "c0"]);
	});

	test("the first walk reads a day; later walks read newer events, with a small overlap", async () => {
		const [collection] = await known(1);
		const id = collection?.id ?? -1;
		const asked = () => lab.fake.callsOf("events").at(-1)?.options["afterMs"];
		await lab.tick("lean-sync");
		expect(asked()).toBe(NOW_MS - DAY_MS);
		lab.time.nowMs += 60_000;
		await lab.tick("lean-sync");
		expect(asked()).toBe(NOW_MS - 120_000);
		expect(await lab.row(id)).toMatchObject({ events_until: new Date(NOW_MS + 60_000) });
	});

	test("[MRG-01] every page is merged, except events of other contracts under the slug", async () => {
		const [collection] = await known(1);
		const address = collection?.address ?? "0x";
		const sales = [saleEventOf(address), saleEventOf(contractOf(0x77)), saleEventOf(address)];
		lab.fake.answers.events = async (_slug, { cursor }) => ({
			items: sales.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 1),
			cursor: cursor === "2" ? null : String(Number(cursor ?? 0) + 1),
		});
		await lab.tick("lean-sync");
		expect(lab.merged.flatMap(([, events]) => events)).toEqual([sales[0], sales[2]] as never);
	});

	test("an endless list is read up to a limit, and that is logged", async () => {
		await known(1);
		let page = 0;
		lab.fake.answers.events = async () => ({ items: [], cursor: String(++page) });
		await lab.tick("lean-sync");
		expect(page).toBe(25);
		expect(lab.said).toEqual(["a collection has more recent events than are read"]);
	});

	test("a failure keeps the covered time, and is logged at most once in each run", async () => {
		const collections = await known(1, 2, 3);
		lab.fake.fail("events", lab.fake.faults.unreadable());
		await lab.tick("lean-sync");
		expect(lab.said).toEqual([]);
		lab.time.nowMs += 60_000;
		lab.fake.fail("events", new Error("our own"));
		await lab.tick("lean-sync");
		expect(lab.said).toEqual(["recent events were not read"]);
		for (const { id } of collections)
			expect(await lab.row(id)).toMatchObject({ events_until: null });
	});

	test("[MRG-13] after a gap in the stream events are read at once from the gap's start", async () => {
		const [first, second] = await known(1, 1);
		await lab.tick("lean-sync");
		lab.time.nowMs += 1_000;
		await lab.noteGap({ slugs: ["c1", "unheard-of"], sinceMs: NOW_MS - 600_000 });
		await lab.tick("lean-sync");
		const last = lab.fake.callsOf("events").at(-1);
		expect([last?.args[0], last?.options["afterMs"]]).toEqual(["c1", NOW_MS - 780_000]);
		expect(slugs()).toHaveLength(3);
		expect([first?.id, second?.id]).not.toContain(undefined);
	});

	test("a gap that is reported while events are being read is not lost", async () => {
		const [collection] = await known(1);
		let told = false;
		lab.fake.answers.events = async () => {
			if (told) throw lab.fake.faults.unavailable();
			told = true;
			await lab.noteGap({ slugs: ["c0"], sinceMs: NOW_MS - 7_200_000 });
			return { items: [], cursor: null };
		};
		await lab.set(collection?.id ?? -1, `events_until = '${new Date(NOW_MS).toISOString()}'`);
		await lab.tick("lean-sync");
		expect(await lab.row(collection?.id ?? -1)).toMatchObject({
			events_until: new Date(NOW_MS - 7_200_000),
		});
	});
});

describe("supplyCatchUpJob", () => {
	let database: TestDatabase;
	let behindChains: number[];
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const COUNT = SUPPLIES_BEHIND_MAX + 5;
	/** On two chains; the last ones of each have seen no mint since their contract was asked. */
	beforeEach(async () => {
		behindChains = [];
		await database.db.execute("truncate market_index.collection restart identity cascade");
		await database.db.execute(
			`insert into market_index.collection
			(chain_id, address, slug, standard, mints, supply_mints, last_mint_at)
		select chain_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), n::text, 'erc721', 5,
			case when n <= $2::int4 then 4 when n % 2 = 0 then 5 end, now() - n * interval '1 second'
		from unnest($1::int8[]) as chain_id, generate_series(1, $2::int4 + 4) as n`,
			[[ethereum.id, polygon.id], COUNT],
		);
	});

	async function tick(): Promise<number[]> {
		const jobs: NewJob[] = [];
		const job = supplyCatchUpJob({
			db: database.db,
			indexed: [ethereum, polygon].map((chain) => ({ chain, rpcFor: () => fail(), headUrls: [] })),
			queue: { add: async (_tx, added) => void jobs.push(...added) },
			scanner: {
				async progress(chainId, lane) {
					const indexedBlock = behindChains.includes(chainId) ? 100 : 1_000;
					return { chainId, lane, headBlock: 1_000, indexedBlock, indexedAtMs: 0 };
				},
			},
		});
		await job.run({ signal: new AbortController().signal });
		return jobs.flatMap(({ payload }) => (payload as { collectionIds: number[] }).collectionIds);
	}
	const fail = () => {
		throw new Error("nobody is asked");
	};
	const chainsOf = async (ids: readonly number[]) => {
		const rows = await database.db.query<{ chain: number; count: number }>(
			`select chain_id as chain, count(*)::int4 as count from market_index.collection
		where id = any($1::int4[]) group by 1`,
			[ids],
		);
		return new Map(rows.map(({ chain, count }) => [chain, count]));
	};

	test("supplies that are outdated after a catch-up are read again", async () => {
		const ids = await tick();
		expect(new Set(ids).size).toBe(ids.length);
		expect(await chainsOf(ids)).toEqual(
			new Map([
				[ethereum.id, COUNT],
				[polygon.id, COUNT],
			]),
		);
	});

	test("while a chain's lanes are behind, a few of its supplies are read in each run", async () => {
		behindChains = [polygon.id];
		expect(await chainsOf(await tick())).toEqual(
			new Map([
				[ethereum.id, COUNT],
				[polygon.id, SUPPLIES_BEHIND_MAX],
			]),
		);
	});
});
