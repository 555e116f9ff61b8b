import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { resolveCollections } from "#plugins/market-index/register/resolveCollections.ts";
import { contractOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const queue = { add: async () => {} };
const resolve = (chainId: number, contracts: readonly Address[]) =>
	database.db.transaction((tx) =>
		resolveCollections(tx, queue, {
			chainId,
			contracts: new Map(contracts.map((one) => [one, "erc721" as const])),
		}),
	);
const [A, B, C] = [contractOf(0xa), contractOf(0xb), contractOf(0xc)] as const;

test("[ING-04] an unknown contract is registered under its address, and is new only once", async () => {
	const first = await resolve(1, [A, B]);
	expect([...first.keys()].sort()).toEqual([A, B]);
	expect(first.get(A)).toMatchObject({ slug: A, name: null, excluded: false, isNew: true });
	const second = await resolve(1, [C, A]);
	expect(second.get(A)).toEqual({ ...first.get(A), isNew: false } as never);
	expect(second.get(C)?.isNew).toBe(true);
});

test("one address on two chains is two collections, each under the address", async () => {
	const here = await resolve(1, [A]);
	const there = await resolve(8453, [A]);
	expect(there.get(A)).toMatchObject({ slug: A, isNew: true });
	expect(there.get(A)?.id).not.toBe(here.get(A)?.id);
});

test("what was named, pictured or excluded since is told", async () => {
	await resolve(10, [A]);
	await database.db.execute(
		`update market_index.collection
		set slug = 'cats', name = 'Cats', image_url = 'ipfs://cat', excluded = true
		where chain_id = 10`,
	);
	expect((await resolve(10, [A])).get(A)).toMatchObject({
		address: A,
		slug: "cats",
		name: "Cats",
		imageUrl: "ipfs://cat",
		excluded: true,
	});
});

test("five thousand at once are five thousand rows", async () => {
	const contracts = Array.from({ length: 5_000 }, (_, index) => contractOf(0x10_000 + index));
	const known = await resolve(137, contracts);
	expect(known.size).toBe(5_000);
	expect(new Set([...known.values()].map(({ id }) => id)).size).toBe(5_000);
	expect((await resolve(137, [])).size).toBe(0);
});
