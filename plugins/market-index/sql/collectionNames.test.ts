import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import {
	renameCollection,
	renameCollections,
	type SlugWish,
} from "#plugins/market-index/sql/collectionNames.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("renameCollection", () => {
	let database: TestDatabase;
	let fixture: Fixture;
	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db, [ethereum, base]);
	});
	afterAll(() => database.drop());

	const [A, B, C] = [contractOf(0xa), contractOf(0xb), contractOf(0xc)] as const;

	beforeEach(async () => {
		await database.db.execute("truncate market_index.collection, market_index.former_slug cascade");
		await database.db.execute("truncate market_index.event");
		await fixture.seed(
			ethereum,
			[A, B, C].map((contract) => mintOf(contract)),
		);
		await fixture.seed(base, [mintOf(A)]);
	});

	async function rename(contract: Address, wish: string, chain = ethereum) {
		const collectionId = await fixture.idOf(chain, contract);
		return database.db.transaction((tx) => {
			return renameCollection(tx, { chainId: chain.id, collectionId, wish });
		});
	}
	const found = async (slug: string, chain = "ethereum") =>
		(await fixture.index.find(slug, chain)).address;

	test("[ING-04] a slug is unique on its chain: the next collection with that name gets a suffix", async () => {
		expect([await rename(A, "cats"), await rename(B, "cats"), await rename(C, "cats")]).toEqual([
			"cats",
			"cats-2",
			"cats-3",
		]);
		expect(await rename(A, "cats", base)).toBe("cats");
		for (const [slug, contract] of [
			["cats", A],
			["cats-2", B],
			["cats-3", C],
		] as const) {
			expect(await found(slug)).toBe(contract);
		}
	});

	test("renaming again changes nothing, however many share the name", async () => {
		await rename(A, "cats");
		await rename(B, "cats");
		for (let round = 0; round < 3; round++) {
			expect([await rename(B, "cats"), await rename(A, "cats")]).toEqual(["cats-2", "cats"]);
		}
		const former = await database.db.query(
			"select slug from market_index.former_slug order by slug",
		);
		expect(former.map((row) => (row as { slug: string }).slug)).toEqual([A, B]);
	});

	test("a former slug still leads to its collection, and no other collection gets it", async () => {
		await rename(A, "cats");
		await rename(A, "dogs");
		expect(await rename(B, "cats")).toBe("cats-2");
		expect([await found("cats"), await found("dogs"), await found(A)]).toEqual([A, A, A]);
		expect(await found("cats-2")).toBe(B);
		// Its own former slug it may have back.
		expect(await rename(A, "cats")).toBe("cats");
		expect([await found("cats"), await found("dogs")]).toEqual([A, A]);
		expect(await rename(B, "dogs")).toBe("dogs-2");
	});

	test("simultaneous renames never choose the same slug", async () => {
		const contracts = Array.from({ length: 12 }, (_, index) => contractOf(0x100 + index));
		await fixture.seed(
			ethereum,
			contracts.map((contract) => mintOf(contract)),
		);
		const slugs = await Promise.all(contracts.map((contract) => rename(contract, "same")));
		expect(new Set(slugs).size).toBe(12);
		expect(slugs.toSorted()).toContain("same");
	});

	test("a collection with a taken name gets the next suffix, however many have the name", async () => {
		await database.db.execute(
			`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(lpad(to_hex(n + 4096), 40, '0'), 'hex'),
			case when n = 1 then 'many' else 'many-' || n end, 'erc721'
		from generate_series(1, 1000) as n`,
			[ethereum.id],
		);
		expect(await rename(A, "many")).toBe("many-1001");
		expect([await found("many-1001"), await found(A)]).toEqual([A, A]);
	});

	test("renaming a deleted collection does nothing", async () => {
		expect(await rename(contractOf(0xdead), "cats")).toBeNull();
	});
});

describe("renameCollections", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	/** Collections 1 to 5,000 under their addresses. */
	beforeEach(async () => {
		await database.db.execute(
			"truncate market_index.collection, market_index.former_slug restart identity cascade",
		);
		await database.db.execute(
			`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), '0x' || lpad(to_hex(n), 40, '0'), 'erc721'
		from generate_series(1, 5000) as n`,
			[ethereum.id],
		);
		await database.db.execute("analyze market_index.collection");
	});

	const wishesOf = (...wishes: string[]): SlugWish[] =>
		wishes.map((wish, index) => ({ collectionId: index + 1, wish }));
	const rename = (wishes: readonly SlugWish[], chainId: number = ethereum.id) =>
		database.db.transaction((tx) => renameCollections(tx, { chainId, wishes }));
	const slugs = async (count: number) => {
		const rows = await database.db.query<{ slug: string }>(
			"select slug from market_index.collection order by id limit $1",
			[count],
		);
		return rows.map(({ slug }) => slug);
	};

	test("[ING-04] collections renamed together get the slugs that they would get one by one", async () => {
		const wishes = wishesOf("cats", "dogs", "cats", "cats-2", "cats-2", "cats", "dogs-2-2");
		const given = await rename(wishes);
		const expected = ["cats", "dogs", "cats-2", "cats-2-2", "cats-2-3", "cats-3", "dogs-2-2"];
		expect(await slugs(7)).toEqual(expected);
		expect([...given].sort(([a], [b]) => a - b)).toEqual(
			expected.map((slug, index) => [index + 1, slug]),
		);
		expect(await rename(wishes)).toEqual(given);
		expect(await slugs(7)).toEqual(expected);
	});

	test("each collection gets a slug even if free suffixes are rare and far apart", async () => {
		// Taken: the name, and all even suffixes up to 60.
		await database.db.execute(
			`update market_index.collection set slug = case when id = 101 then 'cats'
			else 'cats-' || (id - 101) * 2 end
		where id between 101 and 131`,
		);
		const given = await rename(wishesOf(...Array.from({ length: 25 }, () => "cats")));
		expect(given.size).toBe(25);
		expect(new Set(await slugs(131)).size).toBe(131);
	});

	test("a collection of another chain is not renamed, nor is a deleted one", async () => {
		expect(await rename(wishesOf("cats"), base.id)).toEqual(new Map());
		expect(await rename([{ collectionId: 9_999, wish: "cats" }])).toEqual(new Map());
		expect(await rename([])).toEqual(new Map());
		expect(await slugs(1)).toEqual([`0x${"1".padStart(40, "0")}`]);
	});

	test("renaming to a slug that thousands share reads an index, with under 60 scans in one query", async () => {
		await database.db.execute(
			`update market_index.collection set slug = case when id = 2000 then 'cats'
			else 'cats-' || (id - 1999) end
		where id >= 2000`,
		);
		const plans: string[] = [];
		await database.db.transaction(async (tx) => {
			const explained: Tx = {
				...tx,
				async query<Row>(text: string, values: Parameters<Tx["query"]>[1]) {
					await tx.execute(`prepare renames as ${text}`);
					const rows = await tx.query<{ "QUERY PLAN": string }>(
						`explain (analyze, buffers off) execute renames (
						${ethereum.id}, '{1}', '{cats}', ${Number(values?.[3])}
					)`,
					);
					plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
					return [] as Row[];
				},
			};
			await renameCollections(explained, { chainId: ethereum.id, wishes: wishesOf("cats") });
			const mode = await tx.query("select current_setting('plan_cache_mode') as mode");
			expect(mode).toEqual([{ mode: "auto" }]);
		});
		const [plan = ""] = plans;
		expect(plans).toHaveLength(1);
		expect(plan).not.toContain("Seq Scan");
		const looks = [...plan.matchAll(/Scan using collection_\S+ on .*loops=(\d+)/g)];
		const sum = looks.reduce((total, [, loops]) => total + Number(loops), 0);
		expect(sum).toBeGreaterThan(10);
		expect(sum).toBeLessThan(60);
		expect(await slugs(1)).toEqual(["cats-3002"]);
	});
});
