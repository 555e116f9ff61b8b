import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Database } from "#core/db/Database.ts";
import {
	createDiscoveryLab,
	listedOf,
	on,
	statsOf,
} from "#plugins/market-index/discovery/testing/discoveryLab.ts";
import { COLLECTION_METADATA_TASK } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	base,
	contractOf,
	ETH,
	ethereum,
	mintOf,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderCollection } from "#plugins/provider/contract.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createDiscoveryLab>;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	lab = createDiscoveryLab(database.db);
	await lab.clear();
});

const page = (...items: ProviderCollection[]) => ({ items, cursor: null });

async function slugsOf(path: string) {
	const { status, body, headers } = await lab.ask(path);
	expect(status).toBe(200);
	return {
		normalized: body.normalized.map(({ slug }: { slug: string }) => slug),
		raw: body.data.collections.map(({ collection }: { collection: string }) => collection),
		outcome: headers.get("x-svc-cache"),
		body,
	};
}

const CATS = contractOf(1);
const DOGS = contractOf(2);
const OURS = contractOf(3);
const BUSY = contractOf(4);

async function warmUp() {
	await lab.fixture.seed(ethereum, [
		saleOf(OURS, { totalRaw: ETH }),
		saleOf(BUSY, { totalRaw: 2n * ETH }),
		saleOf(BUSY, { totalRaw: 2n * ETH }),
		saleOf(CATS, { totalRaw: 3n * ETH }),
	]);
	lab.fake.answers.trending = async () =>
		page(
			listedOf("dogs", on(ethereum, DOGS)),
			listedOf("foreign", on(base, contractOf(9))),
			listedOf("strange", on(polygon, contractOf(9))),
			listedOf("cats", on(ethereum, CATS)),
			listedOf("unplaced"),
		);
	await lab.tick();
	lab.fake.calls.length = 0;
}

test("[API-02] [API-03] a recent list is served in the provider's order, followed by own rows, without a call", async () => {
	await warmUp();
	const { normalized, raw, body } = await slugsOf("/collections?chain=ethereum&limit=10");
	// Cats were seen by the lanes first, so they keep the name they have until a sync renames them.
	expect(normalized).toEqual(["dogs", CATS, BUSY, OURS]);
	expect(raw).toEqual(["dogs", "cats", BUSY, OURS]);
	const sources = body.data.collections.map(({ source }: { source?: string }) => source);
	expect(sources).toEqual([undefined, undefined, "svc_index", "svc_index"]);
	// As it was sent, whatever else it holds.
	expect(body.data.collections[0]).toMatchObject({ odd: true, collection: "dogs" });
	expect(lab.fake.calls).toEqual([]);
});

test("[API-04] our own 24h volume and sales replace those of every row, the provider's included", async () => {
	await warmUp();
	const { body } = await slugsOf("/collections?chain=ethereum");
	expect(body.normalized[1]).toMatchObject({ volume24hNative: 3, sales24h: 1 });
	expect(body.normalized[0]).toMatchObject({ volume24hNative: 0, sales24h: 0 });
});

test("[API-03] both lists are cut to the limit, and scope=all keeps the rows of other chains", async () => {
	await warmUp();
	const cut = await slugsOf("/collections?chain=ethereum&limit=3");
	expect(cut.normalized).toEqual(["dogs", CATS, BUSY]);
	expect(cut.raw).toEqual(["dogs", "cats", BUSY]);
	const all = await slugsOf("/collections?scope=all&limit=10");
	// What is on no chain of ours is in neither list: each row is in both, at the same place.
	expect(all.raw).toEqual(["dogs", "foreign", "cats", BUSY, OURS]);
	expect(all.normalized).toEqual(["dogs", "foreign", CATS, BUSY, OURS]);
	for (const limit of [1, 2, 4, 200]) {
		const { normalized, raw } = await slugsOf(`/collections?scope=all&limit=${limit}`);
		expect(normalized).toEqual(all.normalized.slice(0, limit));
		expect(raw).toEqual(all.raw.slice(0, limit));
	}
});

test("[MRG-06] [API-03] a row has the chain of our own index, whatever chain the provider names", async () => {
	lab.fake.answers.trending = async () => page(listedOf("cats", on(ethereum, CATS)));
	await lab.tick([ethereum]);
	// The provider moves it, and a second contract of ours is not meant.
	lab.fake.answers.trending = async () => page(listedOf("cats", on(base, DOGS)));
	await lab.tick([base]);
	lab.pass(100_000);
	expect(await slugsOf("/collections?chain=base")).toMatchObject({ normalized: [], raw: [] });
	const all = await slugsOf("/collections?scope=all");
	expect(all).toMatchObject({ normalized: ["cats"], raw: ["cats"] });
	expect(all.body.normalized[0]).toMatchObject({ chain: "ethereum", contractAddress: CATS });
	// As it was sent, with the chain in its contracts alone.
	expect(all.body.data.collections[0].chain).toBeUndefined();
});

test("[MRG-06] a row without a chain is matched with our collection by its slug", async () => {
	await warmUp();
	await database.db.execute(
		`update market_index.sync set provider_slug = 'unplaced'
		where collection_id = (select id from market_index.collection where slug = 'dogs')`,
	);
	lab.fake.answers.trending = async () => page(listedOf("unplaced"));
	await lab.tick();
	const { normalized, raw } = await slugsOf("/collections?chain=ethereum&limit=1");
	expect(normalized).toEqual(["dogs"]);
	expect(raw).toEqual(["unplaced"]);
});

test("[API-01] freshness has the time at which the list was read, and whether the page is stale", async () => {
	await warmUp();
	const readAt = new Date(lab.context.core.clock.nowMs()).toISOString();
	lab.pass(10_000);
	const { body } = await slugsOf("/collections?chain=ethereum");
	expect(body.freshness.listRefreshedAt).toBe(readAt);
});

test("[API-02] a list older than a quarter of an hour is not used: own rows only, and no list is read", async () => {
	await warmUp();
	lab.pass(900_001);
	const { normalized } = await slugsOf("/collections?chain=ethereum");
	expect(normalized.slice(0, 3)).toEqual([BUSY, CATS, OURS]);
	expect(lab.fake.callsOf("trending")).toEqual([]);
});

test("[API-02] mode=new reads the newest if no worker has read them, once in 45 seconds", async () => {
	lab.fake.answers.newest = async () => page(listedOf("young", on(ethereum, DOGS)));
	const first = await slugsOf("/collections?chain=ethereum&mode=new");
	expect(first.normalized).toEqual(["young"]);
	expect(lab.fake.callsOf("newest").map(({ purpose }) => purpose)).toEqual(["view"]);
	await slugsOf("/collections?chain=ethereum&mode=new&limit=7");
	expect(lab.fake.callsOf("newest")).toHaveLength(1);
	lab.pass(45_001);
	await slugsOf("/collections?chain=ethereum&mode=new&limit=8");
	expect(lab.fake.callsOf("newest")).toHaveLength(2);
});

test("[API-04] a first page reads floor and owners of at most eight rows, and tracks all of them", async () => {
	const contracts = Array.from({ length: 12 }, (_, index) => contractOf(50 + index));
	lab.fake.answers.newest = async () =>
		page(...contracts.map((contract, index) => listedOf(`n-${index}`, on(ethereum, contract))));
	lab.fake.answers.stats = async () => statsOf();
	const { body } = await slugsOf("/collections?chain=ethereum&mode=new");
	expect(lab.fake.callsOf("stats")).toHaveLength(8);
	const floors = body.normalized.map(({ floorNative }: { floorNative: number }) => floorNative);
	expect(floors).toEqual([...Array(8).fill(0.5), ...Array(4).fill(null)]);
	expect(new Set(lab.discovered).size).toBe(12);
});

test("the collections of a first page get the same jobs as from a worker", async () => {
	const listed = [5, 6, 7].map((number) =>
		listedOf(`n-${number}`, on(ethereum, contractOf(number))),
	);
	const jobsOf = async (register: () => Promise<unknown>) => {
		await lab.clear();
		lab.queued.length = 0;
		await register();
		return lab.queued.splice(0);
	};
	lab.fake.answers.newest = async () => page(...listed);
	const cold = await jobsOf(() => slugsOf("/collections?chain=ethereum&mode=new"));
	expect(cold).toMatchObject([
		{ task: COLLECTION_METADATA_TASK, payload: { collectionIds: [1, 2, 3] } },
	]);
	expect(await jobsOf(() => lab.tick())).toEqual(cold);
});

test("[API-04] a collection that a lane registered is filled under the slug in the list", async () => {
	await lab.fixture.seed(ethereum, [mintOf(OURS), mintOf(DOGS)]);
	lab.fake.answers.newest = async () =>
		page(
			listedOf("named-ours", on(ethereum, OURS)),
			listedOf("over-two", on(ethereum, DOGS), on(ethereum, contractOf(77))),
		);
	lab.fake.answers.stats = async () => statsOf();
	const { body } = await slugsOf("/collections?chain=ethereum&mode=new");
	expect(lab.fake.callsOf("stats").map(({ args: [slug] }) => slug)).toEqual(["named-ours"]);
	const floors = body.normalized.map(({ floorNative }: { floorNative: number }) => floorNative);
	expect(floors).toEqual([0.5, null]);
});

type Lane = { headBlock: number; indexedBlock: number };
const LANES: Record<string, Lane | null> = {
	"level with the head": { headBlock: 500, indexedBlock: 500 },
	"that catches up": { headBlock: 500, indexedBlock: 100 },
	"that nobody follows": null,
};

for (const [state, lane] of Object.entries(LANES)) {
	test(`[MRG-09] a chain ${state}: a provider's refusal is returned if no page is stale, else the stale page is served`, async () => {
		const path = "/collections?chain=ethereum&mode=new";
		/** The lane goes on, so that it is a live one. */
		const pass = (ms: number) => {
			lab.pass(ms);
			const atMs = lab.context.core.clock.nowMs();
			const told = { chainId: ethereum.id, lane: "sale", indexedAtMs: atMs } as const;
			if (lane) lab.fixture.progress.set(ethereum.id, { ...told, ...lane, owes: false });
		};
		const refused = async () => {
			const { status, body } = await lab.ask(path);
			expect(status).toBe(429);
			expect(body).toMatchObject({ code: "rate_limited", retryAfterMs: 7_000 });
			expect(body.provider).toBe(lab.fake.provider.id);
		};
		pass(0);
		lab.fake.fail("newest", lab.fake.faults.rateLimited(7_000));
		await refused();
		lab.fake.fail("newest", null);
		lab.fake.answers.newest = async () => page(listedOf("young", on(ethereum, DOGS)));
		expect((await slugsOf(path)).outcome).toBe("miss");
		// The list itself is kept for 45 seconds: then the provider is asked again, and refuses.
		lab.fake.fail("newest", lab.fake.faults.rateLimited(7_000));
		pass(60_000);
		for (const waitMs of [0, 1_000, 28_000]) {
			pass(waitMs);
			expect(await slugsOf(path)).toMatchObject({ outcome: "stale", normalized: ["young"] });
		}
		pass(1_000);
		await refused();
	});
}

/** The database, with every statement that is sent to it written down. */
function recorded(db: Database, statements: string[]): Database {
	const sent = (text: string) => void statements.push(text);
	const query: Database["query"] = (text, values) => {
		sent(text);
		return db.query(text, values);
	};
	const execute: Database["execute"] = (text, values) => {
		sent(text);
		return db.execute(text, values);
	};
	const transaction: Database["transaction"] = (run, options) => {
		sent("begin");
		return db.transaction(run, options);
	};
	return { ...db, query, execute, transaction, keepingPlans: { query, execute } };
}

test("[API-05] while the worker's list is recent no collection is tracked or filled, and no sale is read", async () => {
	const statements: string[] = [];
	lab = createDiscoveryLab(recorded(database.db, statements));
	await warmUp();
	// Nobody knows a floor or an owner of these: there is something to fill, and to track.
	const listed = page(listedOf("dogs", on(ethereum, DOGS)), listedOf("cats", on(ethereum, CATS)));
	for (const method of ["newest", "top"] as const) lab.fake.answers[method] = async () => listed;
	await lab.tick([ethereum, base]);
	lab.fake.answers.stats = async () => statsOf();
	// Past the three minutes in which nobody is asked about again.
	lab.pass(200_000);
	const work = () => [lab.fake.calls.length, lab.discovered.length, lab.queued.length];
	const before = work();
	const paths = ["trending", "top", "new"].flatMap((mode) =>
		["", "&limit=1", "&scope=all"].map((rest) => `/collections?chain=ethereum&mode=${mode}${rest}`),
	);
	const outcomes = new Set<unknown>();
	statements.length = 0;
	for (const waitMs of [0, 1_000, 15_000, 100_000]) {
		lab.pass(waitMs);
		for (const path of paths) outcomes.add((await slugsOf(path)).outcome);
		// What is rebuilt behind a stale page is of the same kind.
		for (const path of paths)
			await until(async () => (await slugsOf(path)).outcome === "hit", path);
	}
	expect(outcomes).toEqual(new Set(["miss", "hit", "stale"]));
	expect(work()).toEqual(before);
	const sentences = statements.join("\n");
	expect(sentences).toContain("market_index.rollup_day");
	expect(sentences).not.toMatch(/market_index\.event\b|\bbegin\b|\binsert into\b|\bupdate /);
	// The same pages without a warm list do all of it.
	lab.pass(900_001);
	await slugsOf("/collections?chain=ethereum&mode=new");
	const [calls, tracked] = work();
	expect(calls).toBeGreaterThan(before[0] ?? 0);
	expect(tracked).toBeGreaterThan(before[1] ?? 0);
	expect(lab.fake.callsOf("stats").some(({ purpose }) => purpose === "view")).toBe(true);
	expect(statements.join("\n")).toMatch(/\bbegin\b/);
});

test("while the provider is down a page is served without its rows", async () => {
	await lab.fixture.seed(ethereum, [mintOf(OURS)]);
	for (const fault of [lab.fake.faults.unavailable(), lab.fake.faults.unreadable()]) {
		lab.fake.failAll(fault);
		lab.pass(100_000);
		const { normalized } = await slugsOf("/collections?chain=ethereum&mode=new");
		expect(normalized).toEqual([OURS]);
	}
});

test("an excluded collection is on no page, even if the provider lists it", async () => {
	await warmUp();
	await database.db.execute(
		"update market_index.collection set excluded = true where slug = 'dogs'",
	);
	const { normalized, raw } = await slugsOf("/collections?chain=ethereum&limit=50");
	expect(normalized).not.toContain("dogs");
	expect(raw).not.toContain("dogs");
	expect((await slugsOf("/collections?chain=base")).normalized).toEqual(["foreign"]);
});

test("[API-03] with scope=all a collection on several chains, or on none, is one row of the page", async () => {
	const both = listedOf("both", on(ethereum, CATS), on(base, CATS));
	lab.fake.answers.trending = async () => page(both, listedOf("nowhere"));
	await lab.tick([ethereum, base]);
	const { normalized, raw } = await slugsOf("/collections?scope=all");
	expect(raw).toEqual(["both"]);
	expect(normalized).toEqual(["both"]);
});
