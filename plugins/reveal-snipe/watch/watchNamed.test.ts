import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import { dbFault } from "#core/db/faults.ts";
import { defineFaults } from "#core/fault/defineFaults.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import { readWatched, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { watchNamed } from "#plugins/reveal-snipe/watch/watchNamed.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const at = new Date("2026-11-20T12:00:00.000Z");
const chains = createChainRegistry(builtinChains);
const fault = defineFaults({
	notFound: { status: 404, retry: "never", public: "There is no such collection in the index." },
});
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const known = new Map([
	["ethereum/cats", 1],
	["base/dogs", 3],
]);
const find: MarketIndex["find"] = async (slug, chain = "") => {
	const id = known.get(`${chain}/${slug}`);
	if (id === undefined) throw fault.notFound();
	return { id, chain, slug, address: "0x01" };
};
const watched = (chainId = 1) => readWatched(database.db, { chainId, limit: 10 });
const name = (...names: string[]) => {
	const core = { db: database.db, clock: { nowMs: () => at.getTime() }, chains };
	return watchNamed({ core, find }, names);
};

test("named collections are watched once the index knows them, and no longer when unnamed", async () => {
	await name("ethereum/cats", "ethereum/dogs");
	expect(await watched()).toEqual([1]);
	known.set("ethereum/dogs", 2);
	await name("ethereum/cats", "ethereum/dogs");
	expect(await watched()).toEqual([1, 2]);
	await name("base/dogs");
	expect([await watched(), await watched(8453)]).toEqual([[], [3]]);
	await name();
	expect(await watched(8453)).toEqual([]);
});

test("what a plan watches stays, and a failure that says nothing of a name ends nothing", async () => {
	await watchCollection(database.db, { collectionId: 1, chainId: 1, reason: "plan", at });
	await name("ethereum/cats");
	await name();
	expect(await watched()).toEqual([1]);
	await name("ethereum/dogs");
	const core = { db: database.db, clock: { nowMs: () => at.getTime() }, chains };
	const away = async () => Promise.reject(dbFault.fenced());
	await expect(watchNamed({ core, find: away }, ["ethereum/dogs"])).rejects.toThrow();
	expect(await watched()).toEqual([1, 2]);
});
