import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { discoveredChains, discoveryJob } from "#plugins/market-index/discovery/discoveryJob.ts";
import {
	createDiscoveryLab,
	listedOf,
	on,
	statsOf,
} from "#plugins/market-index/discovery/testing/discoveryLab.ts";
import {
	base,
	contractOf,
	ethereum,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
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

const rows = () =>
	database.db.query<{ slug: string; chainId: number; name: string | null; status: string }>(
		`select slug, chain_id as "chainId", name, sync_status as status
		from market_index.collection order by id`,
	);

const page = (...items: ReturnType<typeof listedOf>[]) => ({ items, cursor: null });

test("[API-17] every listed contract of the chain gets a row, a name and a queued sync", async () => {
	lab.fake.answers.trending = async () =>
		page(
			listedOf("cats", on(ethereum, contractOf(1))),
			listedOf("elsewhere", on(polygon, contractOf(2))),
			listedOf("nowhere"),
		);
	lab.fake.answers.newest = async () => page(listedOf("dogs", on(ethereum, contractOf(3))));
	await lab.tick();
	expect(await rows()).toEqual([
		{ slug: "cats", chainId: 1, name: "Name of cats", status: "queued" },
		{ slug: "dogs", chainId: 1, name: "Name of dogs", status: "queued" },
	]);
	expect(new Set(lab.discovered).size).toBe(2);
	await lab.tick();
	expect(await rows()).toHaveLength(2);
});

test("[API-17] each chain has its three lists read, also a chain that no lane follows", async () => {
	const { core } = lab.fixture;
	const extra = discoveredChains(core, ["polygon", "ethereum"]);
	// What is indexed anyway is not named twice.
	expect(extra).toEqual([polygon]);
	expect(() => discoveredChains(core, ["atlantis"])).toThrow("discovery_chain_unknown");
	lab.fake.answers.top = async ({ chainId }) =>
		chainId === polygon.id ? page(listedOf("cats", on(polygon, contractOf(1)))) : page();
	await lab.tick([ethereum, ...extra]);
	for (const method of ["newest", "trending", "top"] as const) {
		const asked = lab.fake.callsOf(method).map(({ options }) => options["chainId"]);
		expect(asked.sort()).toEqual([ethereum.id, polygon.id]);
	}
	expect(await rows()).toMatchObject([{ slug: "cats", chainId: polygon.id }]);
});

test("[API-17] a slug that belongs to a contract of another chain is not registered again", async () => {
	lab.fake.answers.trending = async () => page(listedOf("cats", on(base, contractOf(1))));
	await lab.tick([base]);
	lab.fake.answers.trending = async () => page(listedOf("cats", on(ethereum, contractOf(1))));
	await lab.tick([ethereum]);
	expect((await rows()).map(({ chainId }) => chainId)).toEqual([base.id]);
});

test("[API-17] a collection that a lane registered keeps its figures and is not registered again", async () => {
	await lab.fixture.seed(ethereum, [saleOf(contractOf(1))]);
	lab.fake.answers.top = async () => page(listedOf("cats", on(ethereum, contractOf(1))));
	await lab.tick();
	expect(await rows()).toEqual([{ slug: contractOf(1), chainId: 1, name: null, status: "queued" }]);
	expect(lab.discovered).toHaveLength(1);
});

test("[API-17] [MRG-02] figures of the first ten rows without floor and owners are read, once in three minutes", async () => {
	const listed = Array.from({ length: 14 }, (_, index) =>
		listedOf(`list-${index}`, on(ethereum, contractOf(100 + index))),
	);
	lab.fake.answers.trending = async () => page(...listed);
	lab.fake.answers.stats = async (slug) =>
		slug === "list-0" ? statsOf({ floor: null, owners: null }) : statsOf();
	await lab.tick();
	const asked = () => lab.fake.callsOf("stats").map(({ args }) => args[0]);
	expect(asked()).toEqual(listed.slice(0, 10).map(({ slug }) => slug));
	await lab.tick();
	// Whoever was answered nothing waits; the next rows have their turn.
	expect(asked().slice(10)).toEqual(listed.slice(10).map(({ slug }) => slug));
	lab.pass(180_001);
	await lab.tick();
	expect(asked().slice(14)).toEqual(["list-0"]);
	const floors = await database.db.query<{ floor: string | null; owners: number | null }>(
		`select floor_native as floor, provider_owners as owners
		from market_index.collection order by id limit 2`,
	);
	expect(floors).toEqual([
		{ floor: null, owners: null },
		{ floor: "500000000000000000", owners: 12 },
	]);
	expect(lab.fake.calls.every(({ purpose }) => purpose === "background")).toBe(true);
});

test("the figures of a slug with several contracts are given to none of the contracts", async () => {
	const both = listedOf("both", on(ethereum, contractOf(1)), on(base, contractOf(1)));
	lab.fake.answers.trending = async () => page(both);
	lab.fake.answers.stats = async () => statsOf();
	await lab.tick();
	expect(lab.fake.callsOf("stats")).toEqual([]);
});

test("a page that is not from a list reads no figures of a slug with several contracts", async () => {
	const contracts = [1, 2, 3].map(contractOf);
	await lab.fixture.seed(
		ethereum,
		contracts.map((contract) => saleOf(contract)),
	);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug)
		select id, chain_id, 'of-' || id from market_index.collection
		on conflict (collection_id) do update set provider_slug = excluded.provider_slug`,
	);
	// An insert that was tried again has used up ids: they are read, not known.
	const kept = await database.db.query<{ id: number }>(
		"select id from market_index.collection order by id",
	);
	const [first, second, third] = kept.map(({ id }) => id);
	// Of the second the provider's page named two.
	await database.db.execute(
		`update market_index.collection set provider_row = jsonb_build_object('contracts',
			case when id = $2 then '[{}, {}]'::jsonb else '[{}]'::jsonb end) where id in ($1, $2)`,
		[first ?? 0, second ?? 0],
	);
	lab.fake.answers.stats = async () => statsOf();
	await lab.lists.complete(
		[first, second, third].map((id) => ({ id, listed: undefined }) as never),
	);
	const asked = lab.fake.callsOf("stats").map(({ args }) => args[0]);
	expect(asked.sort()).toEqual([`of-${first}`, `of-${third}`].sort());
});

test("a rate limit ends the run; a list that cannot be read keeps its last contents", async () => {
	lab.fake.answers.top = async () => page(listedOf("cats", on(ethereum, contractOf(1))));
	await lab.tick();
	lab.fake.fail("top", lab.fake.faults.unreadable());
	lab.fake.answers.newest = async () => page(listedOf("dogs", on(ethereum, contractOf(2))));
	await lab.tick();
	expect((await rows()).map(({ slug }) => slug)).toEqual(["cats", "dogs"]);
	expect((await lab.lists.listFor({ chain: ethereum, mode: "top" }))?.rows).toHaveLength(1);
	lab.fake.failAll(lab.fake.faults.rateLimited(60_000));
	const before = lab.fake.calls.length;
	await lab.tick();
	expect(lab.fake.calls.length - before).toBe(1);
});

test("[API-17] a rate limit that ends within the minute is waited for, and every list is read", async () => {
	let refusals = 3;
	const limited = async () => {
		if (refusals-- > 0) throw lab.fake.faults.rateLimited(9_000);
		return page(listedOf("cats", on(ethereum, contractOf(1))));
	};
	lab.fake.answers.top = limited;
	lab.fake.answers.newest = limited;
	const from = lab.context.core.clock.nowMs();
	await lab.tick();
	expect(lab.context.core.clock.nowMs() - from).toBe(27_000);
	for (const mode of ["trending", "top", "new"] as const) {
		expect((await lab.lists.listFor({ chain: ethereum, mode }))?.isWarm).toBe(true);
	}
});

test("[API-17] lists that were not read because of a rate limit are the first of the next run", async () => {
	let granted = 4;
	const counted = async () => {
		if (granted-- <= 0) throw lab.fake.faults.rateLimited(60_000);
		return page();
	};
	lab.fake.answers.trending = counted;
	lab.fake.answers.top = counted;
	lab.fake.answers.newest = counted;
	await lab.tick([ethereum, base]);
	lab.pass(60_000);
	granted = 2;
	await lab.tick([ethereum, base]);
	for (const mode of ["trending", "top", "new"] as const) {
		expect((await lab.lists.listFor({ chain: base, mode }))?.isWarm).toBe(true);
	}
});

test("a disabled provider is not asked", async () => {
	const off = { ...lab.context, provider: { ...lab.fake.provider, isOn: false } };
	await discoveryJob(off, [ethereum]).run({ signal: new AbortController().signal });
	expect(lab.fake.calls).toEqual([]);
});

test("names that PostgreSQL refuses, and two rows of one contract, do not affect other rows", async () => {
	const odd = listedOf("odd", on(ethereum, contractOf(1)));
	lab.fake.answers.trending = async () =>
		page(
			{ ...odd, raw: { collection: "odd", text: "a\u0000b\ud800" } },
			listedOf("same", on(ethereum, contractOf(1))),
			listedOf("0x12", on(ethereum, contractOf(2))),
			listedOf("__proto__", on(ethereum, contractOf(3))),
		);
	await lab.tick();
	const slugs = (await rows()).map(({ slug }) => slug);
	expect(slugs).toHaveLength(3);
	// A slug that reads as an address, or that no route takes, is nobody's name.
	expect(slugs.slice(1)).toEqual([contractOf(2), contractOf(3)]);
	expect((await lab.lists.listFor({ chain: ethereum, mode: "trending" }))?.rows).toHaveLength(4);
});
