import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { renameCollections, type SlugWish } from "#plugins/market-index/sql/renameCollections.ts";
import { base, ethereum } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[ING-04] named together they get what one after the other would have got", async () => {
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

test("whose free suffixes are few and far between get one each all the same", async () => {
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

test("another chain's collection is not renamed, nor is one that is gone", async () => {
	expect(await rename(wishesOf("cats"), base.id)).toEqual(new Map());
	expect(await rename([{ collectionId: 9_999, wish: "cats" }])).toEqual(new Map());
	expect(await rename([])).toEqual(new Map());
	expect(await slugs(1)).toEqual([`0x${"1".padStart(40, "0")}`]);
});

test("a name that thousands have is looked up by index, with few looks, and planned once", async () => {
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
