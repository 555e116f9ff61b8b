import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Chain } from "#core/chain/Chain.ts";
import { NAMES_ASKED_MAX } from "#core/plugin/NameBook.ts";
import { collectionNames } from "#plugins/market-index/agent/collectionNames.ts";
import {
	base,
	contractOf,
	createMarketFixture,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the index says which groups of words are names of its collections.

let database: TestDatabase;
let find: (...groups: string[]) => Promise<string[]>;

beforeAll(async () => {
	database = await createTestDatabase();
	const { core } = createMarketFixture(database.db);
	const book = collectionNames(core);
	find = async (...groups) => [...(await book.find(groups)).keys()].toSorted();
	await add(base, "bad-idea-club", { name: "Bad Idea Club" });
	const renamed = await add(base, "salt-signal", { name: "Salt & Signal" });
	await add(base, "hidden", { name: "Hidden Things", excluded: true });
	await add({ ...base, id: 424_242 }, "slug-elsewhere", { name: "Elsewhere" });
	await database.db.execute(
		"insert into market_index.former_slug (chain_id, slug, collection_id) values ($1, 'old-salt', $2)",
		[base.id, renamed],
	);
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, $2, 'saltsignal')`,
		[renamed, base.id],
	);
});
afterAll(() => database?.drop());

let count = 0;
async function add(
	chain: Chain,
	slug: string,
	{ name, excluded = false }: { name: string; excluded?: boolean },
): Promise<number> {
	count += 1;
	const rows = await database.db.query<{ id: number }>(
		`insert into market_index.collection (chain_id, address, slug, standard, name, excluded)
		values ($1, $2, $3, 'erc721', $4, $5) returning id`,
		[chain.id, Buffer.from(contractOf(count).slice(2), "hex"), slug, name, excluded],
	);
	return rows[0]?.id ?? -1;
}

test("a name in any case, a slug, a former slug and the provider's slug are known", async () => {
	expect(await find("bad idea club", "idea club", "salt & signal", "floor")).toEqual([
		"bad idea club",
		"salt & signal",
	]);
	expect(await find("salt signal", "salt-signal", "old salt", "saltsignal")).toEqual([
		"old salt",
		"salt signal",
		"salt-signal",
		"saltsignal",
	]);
});

test("what is excluded is not known, nor a slug of a chain that is not indexed", async () => {
	expect(await find("hidden things", "hidden", "slug-elsewhere")).toEqual([]);
});

test("nothing that is typed breaks out of the statement, and the most groups are answered", async () => {
	const groups = Array.from(
		{ length: NAMES_ASKED_MAX - 2 },
		(_, n) => `'; drop table x -- ${n} %_\\`,
	);
	expect(await find(...groups, "bad idea club", "\u0130")).toEqual(["bad idea club"]);
	expect(await find()).toEqual([]);
});
