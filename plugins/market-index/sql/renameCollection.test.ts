import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[ING-04] a slug is unique on its chain: the next collection of that name gets a suffix", async () => {
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

test("asking again changes nothing, however many share the name", async () => {
	await rename(A, "cats");
	await rename(B, "cats");
	for (let round = 0; round < 3; round++) {
		expect([await rename(B, "cats"), await rename(A, "cats")]).toEqual(["cats-2", "cats"]);
	}
	const former = await database.db.query("select slug from market_index.former_slug order by slug");
	expect(former.map((row) => (row as { slug: string }).slug)).toEqual([A, B]);
});

test("a former slug keeps leading to its collection, and nobody else gets it", async () => {
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

test("renames at the same moment never choose the same slug", async () => {
	const contracts = Array.from({ length: 12 }, (_, index) => contractOf(0x100 + index));
	await fixture.seed(
		ethereum,
		contracts.map((contract) => mintOf(contract)),
	);
	const slugs = await Promise.all(contracts.map((contract) => rename(contract, "same")));
	expect(new Set(slugs).size).toBe(12);
	expect(slugs.toSorted()).toContain("same");
});

test("however many have the name, the next one gets the suffix behind theirs", async () => {
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

test("a collection that is gone has nothing to rename", async () => {
	expect(await rename(contractOf(0xdead), "cats")).toBeNull();
});
