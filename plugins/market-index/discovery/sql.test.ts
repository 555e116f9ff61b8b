import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Chain } from "#core/chain/Chain.ts";
import {
	type ListKey,
	readList,
	resolveListed,
	storeList,
} from "#plugins/market-index/discovery/sql.ts";
import type { ListedRow } from "#plugins/market-index/register/registerCollections.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("readList", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());

	test("a stored list that cannot be parsed counts as missing and does not fail", async () => {
		const { db } = database;
		const key: ListKey = { chainId: 1, mode: "trending", by: "worker" };
		const nowMs = Date.UTC(2026, 10, 21, 12);
		await storeList(db, key, { rows: [], refreshedAtMs: nowMs });
		const asked = { nowMs, maxAgeMs: 1_000 };
		expect(await readList(db, key, asked)).toEqual({ rows: [], refreshedAtMs: nowMs });
		await db.execute(`update market_index.discovery_list set rows = '[{"chainId": 1e99}]'`);
		expect(await readList(db, key, asked)).toBeNull();
	});
});

describe("resolveListed", () => {
	let database: TestDatabase;
	let fixture: Fixture;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
	});
	afterAll(() => database.drop());
	beforeEach(() =>
		database.db.execute(
			`truncate market_index.collection, market_index.sync, market_index.event,
			market_index.rollup_minute, market_index.rollup_hour, market_index.rollup_day
		restart identity cascade`,
		),
	);

	/** A collection of ours; `slug` is what the provider calls it, where a sync has told. */
	async function own(chain: Chain, number: number, slug: string | null): Promise<number> {
		await fixture.seed(chain, [mintOf(contractOf(number))]);
		const id = await fixture.idOf(chain, contractOf(number));
		await database.db.execute(
			"insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, $2, $3)",
			[id, chain.id, slug],
		);
		return id;
	}

	const listed = (slug: string, place?: { chain: Chain; number: number }): ListedRow => ({
		slug,
		chainId: place?.chain.id ?? null,
		address: place ? contractOf(place.number) : null,
		isShared: false,
		name: null,
		imageUrl: null,
		raw: {},
	});

	async function resolve(row: ListedRow) {
		const [found] = await resolveListed(database.db, [row]);
		return { id: found?.own?.id ?? null, chainId: found?.chainId ?? null };
	}

	test("[MRG-06] a row's chain is that of our own index, else the one that the provider names, else unknown", async () => {
		const id = await own(ethereum, 1, "cats");
		// With no contract, with the contract that we have, and with one on another chain.
		expect(await resolve(listed("cats"))).toEqual({ id, chainId: ethereum.id });
		const right = listed("cats", { chain: ethereum, number: 1 });
		expect(await resolve(right)).toEqual({ id, chainId: ethereum.id });
		const elsewhere = listed("cats", { chain: base, number: 9 });
		expect(await resolve(elsewhere)).toEqual({ id, chainId: ethereum.id });
		// Ours knows nothing of these.
		const strange = listed("dogs", { chain: polygon, number: 9 });
		expect(await resolve(strange)).toEqual({ id: null, chainId: polygon.id });
		expect(await resolve(listed("dogs"))).toEqual({ id: null, chainId: null });
	});

	test("[MRG-06] a row is found by chain and slug, or by the slug alone if only one chain has it", async () => {
		const there = await own(ethereum, 1, "cats");
		const here = await own(base, 2, "cats");
		// Another contract of the chain under the same slug.
		const onBase = listed("cats", { chain: base, number: 9 });
		expect(await resolve(onBase)).toEqual({ id: here, chainId: base.id });
		const onEthereum = listed("cats", { chain: ethereum, number: 9 });
		expect(await resolve(onEthereum)).toEqual({ id: there, chainId: ethereum.id });
		// Two chains have it: the slug alone is nobody's.
		expect(await resolve(listed("cats"))).toEqual({ id: null, chainId: null });
		const onPolygon = listed("cats", { chain: polygon, number: 9 });
		expect(await resolve(onPolygon)).toEqual({ id: null, chainId: polygon.id });
	});

	test("[MRG-06] a row is found by its slug, and otherwise by the contract that it names", async () => {
		const unnamed = await own(ethereum, 1, null);
		const dogs = await own(ethereum, 2, "dogs");
		const cats = await own(base, 3, "cats");
		// What the lanes saw first has no name of the provider's yet.
		const first = listed("cats", { chain: ethereum, number: 1 });
		expect(await resolve(first)).toEqual({ id: unnamed, chainId: ethereum.id });
		const wrong = listed("cats", { chain: ethereum, number: 2 });
		expect(await resolve(wrong)).toEqual({ id: cats, chainId: base.id });
		// Renamed by the provider since it was last synced.
		const renamed = listed("hounds", { chain: ethereum, number: 2 });
		expect(await resolve(renamed)).toEqual({ id: dogs, chainId: ethereum.id });
	});
});
