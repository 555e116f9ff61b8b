import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { systemClock } from "#core/clock.ts";
import { recipientsJob } from "#plugins/market-index/owners/jobs.ts";
import { createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: Fixture;
let contract: Address;
let next = 0x900;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
	fixture = createMarketFixture(database.db);
	contract = contractOf(next++);
	await database.db.execute("truncate market_index.recipients");
});

const ALICE = contractOf(0xa1);
const BOB = contractOf(0xb0);

async function count(clock = systemClock): Promise<void> {
	const { signal } = new AbortController();
	await recipientsJob({ db: database.db, clock }).run({ signal });
}

async function figures() {
	const { body } = await createAsk(fixture)(`/collections/${contract}?chain=ethereum`);
	const { market, mint } = body;
	return { owners: market.ownersCount, supply: market.totalSupply, minted: mint.mintedSupply };
}

const inCollection = (changes: string) =>
	database.db.execute(`update market_index.collection set ${changes} where address = $1`, [
		Buffer.from(contract.slice(2), "hex"),
	]);

async function walked(row: { nextBlock: number; owners: number; minted: number; burned: number }) {
	const id = await fixture.idOf(ethereum, contract);
	await database.db.execute(
		`insert into market_index.ownership
			(collection_id, chain_id, address, next_block, end_block, owners, minted, burned)
		values ($1, 1, $2, $3, 99, $4, $5, $6)`,
		[id, Buffer.from(contract.slice(2), "hex"), row.nextBlock, row.owners, row.minted, row.burned],
	);
}

test("[MRG-03] owners come from a finished walk, else the provider, else recipients of accepted events", async () => {
	await fixture.seed(ethereum, [
		mintOf(contract, { to: ALICE }),
		saleOf(contract, { to: BOB }),
		saleOf(contract, { to: BOB }),
		saleOf(contract, { to: contractOf(0xca), accepted: false }),
	]);
	expect(await figures()).toMatchObject({ owners: null });
	await count();
	expect(await figures()).toMatchObject({ owners: 2 });
	await inCollection("provider_owners = 0");
	expect(await figures()).toMatchObject({ owners: 2 });
	await inCollection("provider_owners = 40");
	expect(await figures()).toMatchObject({ owners: 40 });
	await walked({ nextBlock: 99, owners: 7, minted: 30, burned: 4 });
	expect(await figures()).toMatchObject({ owners: 40, minted: 1 });
	await database.db.execute("update market_index.ownership set next_block = 100");
	expect(await figures()).toEqual({ owners: 7, supply: 26, minted: 30 });
});

test("[MRG-04] a total supply of 0 from another source never replaces the walk's", async () => {
	await fixture.seed(ethereum, [mintOf(contract)]);
	await walked({ nextBlock: 100, owners: 1, minted: 5, burned: 0 });
	await inCollection("total_supply = 0, supply_mints = mints");
	expect(await figures()).toEqual({ owners: 1, supply: 5, minted: 5 });
});

test("a walk that found no mint leaves the minted count unknown", async () => {
	await fixture.seed(ethereum, [saleOf(contract)]);
	await walked({ nextBlock: 100, owners: 0, minted: 0, burned: 0 });
	await inCollection("total_supply = 9, provider_owners = 3");
	// None was seen to be minted, and there are nine: how many were is unknown.
	expect(await figures()).toEqual({ owners: 3, supply: 9, minted: null });
});

test("[MRG-03] recipients are counted again after new events, and not before", async () => {
	await fixture.seed(ethereum, [mintOf(contract, { to: ALICE })]);
	await count();
	const id = await fixture.idOf(ethereum, contract);
	const countedAt = async () => {
		const [row] = await database.db.query<{ at: Date }>(
			"select counted_at as at from market_index.recipients where collection_id = $1",
			[id],
		);
		return row?.at.getTime();
	};
	// As if long ago: the distance between two counts is over.
	await database.db.execute(
		"update market_index.recipients set counted_at = now() - interval '1 day'",
	);
	const before = await countedAt();
	await count();
	expect(await countedAt()).toBe(before);
	await fixture.seed(ethereum, [saleOf(contract, { to: BOB })]);
	await count();
	expect(await figures()).toMatchObject({ owners: 2 });
});

test("counting recipients stops after its time limit and continues the next time", async () => {
	await fixture.seed(ethereum, [mintOf(contract)]);
	const late = contractOf(next++);
	await fixture.seed(ethereum, [mintOf(late)]);
	let nowMs = 0;
	const slow = { nowMs: () => (nowMs += 200) };
	const counted = async () => {
		const rows = await database.db.query("select from market_index.recipients");
		return rows.length;
	};
	await count(slow);
	expect(await counted()).toBe(1);
	await count(slow);
	expect(await counted()).toBe(2);
});

test("[API-10] the tile of owners has the time of the source that counted them", async () => {
	await fixture.seed(ethereum, [saleOf(contract, { to: BOB })]);
	await count();
	await database.db.execute("update market_index.recipients set counted_at = '2026-03-10'");
	await inCollection("provider_owners_at = '2020-01-01'");
	const owners = async () => {
		const { body } = await createAsk(fixture)(`/collections/${contract}/sales?chain=ethereum`);
		return body.tiles.find(({ key }: { key: string }) => key === "owners");
	};
	const own = { value: 1, asOf: "2026-03-10T00:00:00.000Z", source: "chain" };
	expect(await owners()).toMatchObject(own);
	await inCollection("provider_owners = 5");
	const theirs = { value: 5, asOf: "2020-01-01T00:00:00.000Z", source: "provider" };
	expect(await owners()).toMatchObject(theirs);
});
