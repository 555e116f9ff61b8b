import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	createDiscoveryLab,
	listedOf,
	on,
	statsOf,
} from "#plugins/market-index/discovery/testing/discoveryLab.ts";
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
			listedOf("foreign", on(polygon, contractOf(9))),
			listedOf("cats", on(ethereum, CATS)),
			listedOf("unplaced"),
		);
	await lab.tick();
	lab.fake.calls.length = 0;
}

test("[API-02] [API-03] a warm list is served in the provider's order, topped up with own rows, without a call", async () => {
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

test("[API-04] own 24h volume and sales overlay every row, the provider's included", async () => {
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
	expect(all.raw.slice(0, 4)).toEqual(["dogs", "foreign", "cats", "unplaced"]);
	expect(all.normalized).toEqual(["dogs", CATS, BUSY, OURS]);
});

test("[MRG-06] a row without a chain is the collection that our own index holds under its slug", async () => {
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

test("[API-01] freshness says when the list was read, and the page when it is old", async () => {
	await warmUp();
	const readAt = new Date(lab.context.core.clock.nowMs()).toISOString();
	lab.pass(10_000);
	const { body } = await slugsOf("/collections?chain=ethereum");
	expect(body.freshness.listRefreshedAt).toBe(readAt);
});

test("[API-02] a list older than a quarter of an hour is cold: own rows only, and no list is asked for", async () => {
	await warmUp();
	lab.pass(900_001);
	const { normalized } = await slugsOf("/collections?chain=ethereum");
	expect(normalized.slice(0, 3)).toEqual([BUSY, CATS, OURS]);
	expect(lab.fake.callsOf("trending")).toEqual([]);
});

test("[API-02] mode=new asks for the newest where no worker has, once in 45 seconds", async () => {
	lab.fake.answers.newest = async () => page(listedOf("young", on(ethereum, DOGS)));
	const first = await slugsOf("/collections?chain=ethereum&mode=new");
	expect(first.normalized).toEqual(["young"]);
	expect(lab.fake.callsOf("newest").map(({ purpose }) => purpose)).toEqual(["request"]);
	await slugsOf("/collections?chain=ethereum&mode=new&limit=7");
	expect(lab.fake.callsOf("newest")).toHaveLength(1);
	lab.pass(45_001);
	await slugsOf("/collections?chain=ethereum&mode=new&limit=8");
	expect(lab.fake.callsOf("newest")).toHaveLength(2);
});

test("[API-04] a cold page fills floor and owners of eight rows at most, and tracks all of them", async () => {
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

test("[API-04] what the lanes saw first is filled under the name that the list has for it", async () => {
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

test("[MRG-09] a refused provider is told where there is nothing stale, and a page that is stale is served", async () => {
	// A chain that still catches up has no stale pages.
	const progress = {
		headBlock: 5,
		indexedBlock: 5,
		indexedAtMs: 0,
		chainId: 1,
		lane: "sale",
	} as const;
	lab.fixture.progress.set(ethereum.id, progress);
	lab.fake.fail("newest", lab.fake.faults.rateLimited(7_000));
	const refused = await lab.ask("/collections?chain=ethereum&mode=new");
	expect(refused.status).toBe(429);
	expect(refused.body).toMatchObject({ code: "rate_limited", retryAfterMs: 7_000 });
	expect(typeof refused.body.provider).toBe("string");
	lab.fake.fail("newest", null);
	lab.fake.answers.newest = async () => page(listedOf("young", on(ethereum, DOGS)));
	await slugsOf("/collections?chain=ethereum&mode=new");
	lab.fake.fail("newest", lab.fake.faults.rateLimited(7_000));
	lab.pass(60_000);
	expect(await slugsOf("/collections?chain=ethereum&mode=new")).toMatchObject({
		outcome: "stale",
		normalized: ["young"],
	});
});

test("a provider that is away costs its rows, and not the page", async () => {
	await lab.fixture.seed(ethereum, [mintOf(OURS)]);
	for (const fault of [lab.fake.faults.unavailable(), lab.fake.faults.unreadable()]) {
		lab.fake.failAll(fault);
		lab.pass(100_000);
		const { normalized } = await slugsOf("/collections?chain=ethereum&mode=new");
		expect(normalized).toEqual([OURS]);
	}
});

test("an excluded collection is on no page, whatever the provider lists", async () => {
	await warmUp();
	await database.db.execute(
		"update market_index.collection set excluded = true where slug = 'dogs'",
	);
	const { normalized, raw } = await slugsOf("/collections?chain=ethereum&limit=50");
	expect(normalized).not.toContain("dogs");
	expect(raw).not.toContain("dogs");
	expect((await slugsOf("/collections?chain=base")).normalized).toEqual([]);
	expect(base.slug).toBe("base");
});

test("[API-03] with scope=all a collection on several chains, or on none, is one row of the page", async () => {
	const both = listedOf("both", on(ethereum, CATS), on(base, CATS));
	lab.fake.answers.trending = async () => page(both, listedOf("nowhere"));
	await lab.tick([ethereum, base]);
	const { normalized, raw } = await slugsOf("/collections?scope=all");
	expect(raw).toEqual(["both", "nowhere"]);
	expect(normalized).toHaveLength(1);
});
