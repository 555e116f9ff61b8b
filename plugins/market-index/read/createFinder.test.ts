import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: Fixture;

const CATS = contractOf(0xabc1);
const DOGS = contractOf(0xabc2);
const GONE = contractOf(0xabc3);

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [saleOf(CATS), saleOf(DOGS), saleOf(GONE)]);
	await fixture.seed(base, [saleOf(DOGS)]);
	// A chain that was indexed once: its collections are not found any more.
	await fixture.seed(polygon, [saleOf(contractOf(0xabc4))]);
	const { db } = database;
	await db.execute("update market_index.collection set slug = 'cats' where address = $1", [
		Buffer.from(CATS.slice(2), "hex"),
	]);
	await db.execute("update market_index.collection set excluded = true where address = $1", [
		Buffer.from(GONE.slice(2), "hex"),
	]);
	await db.execute("insert into market_index.former_slug values ($1, 'kittens', $2)", [
		ethereum.id,
		await fixture.idOf(ethereum, CATS),
	]);
});
afterAll(() => database.drop());

const find = (slug: string, chain?: string) => fixture.index.find(slug, chain);
const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;

test("[API-06] a collection is found by slug, former slug and address in any case", async () => {
	const cats = {
		id: await fixture.idOf(ethereum, CATS),
		chain: "ethereum",
		address: CATS,
		slug: "cats",
	};
	for (const name of ["cats", "Cats", "kittens", CATS, upper(CATS)]) {
		expect(await find(name)).toEqual(cats);
		expect(await find(name, "ethereum")).toEqual(cats);
	}
});

test("[API-06] the chain may be named by slug, other spelling or id", async () => {
	for (const name of ["ethereum", "ETHEREUM", "mainnet", "1"]) {
		expect(await find(DOGS, name)).toMatchObject({ chain: "ethereum" });
	}
	expect(await find(DOGS, "8453")).toMatchObject({ chain: "base" });
});

test("[API-06] a name that several chains have needs a chain", async () => {
	await expect(find(DOGS)).rejects.toMatchObject({
		status: 422,
		code: "chain_required",
		publicDetail: expect.stringContaining("base, ethereum"),
	});
});

test("[API-06] nobody, an excluded one, and one on another chain are all not found", async () => {
	const notFound = { status: 404, code: "not_found" };
	await expect(find("nobody")).rejects.toMatchObject(notFound);
	await expect(find(GONE)).rejects.toMatchObject(notFound);
	await expect(find("cats", "base")).rejects.toMatchObject(notFound);
	await expect(find(contractOf(0xabc4))).rejects.toMatchObject(notFound);
	await expect(find("0xabc1")).rejects.toMatchObject(notFound);
	await expect(find("' or 1=1 --")).rejects.toMatchObject(notFound);
});

test("a chain that is unknown, or known and not indexed, is refused with those that are", async () => {
	for (const chain of ["polygon", "solana", "", "0", "99999999999999999999"]) {
		await expect(find("cats", chain)).rejects.toMatchObject({
			status: 422,
			code: "validation_error",
			publicDetail: expect.stringContaining("Indexed chains: ethereum, base."),
			members: { issues: [{ path: "chain" }] },
		});
	}
});

test("no contract can be found under another one's address", async () => {
	const id = await fixture.idOf(base, DOGS);
	await database.db.execute("update market_index.collection set slug = $2 where id = $1", [
		id,
		CATS,
	]);
	await fixture.seed(base, [saleOf(contractOf(0xabc9))]);
	await database.db.execute(
		"update market_index.collection set slug = 'real', address = $2 where id = $1",
		[await fixture.idOf(base, contractOf(0xabc9)), Buffer.from(CATS.slice(2), "hex")],
	);
	expect(await find(CATS, "base")).toMatchObject({ slug: "real" });
});
