import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { createTokenSource } from "#plugins/trading/createTokenSource.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: other plugins hear a token's ticker and price from the registry alone, and what each
// contract of trading is; of a rejected token they hear that it is a contract, and no more.

const TSLA: Address = `0x${"00".repeat(19)}a1`;
const FAKE: Address = `0x${"00".repeat(19)}b2`;
const POOL: Address = `0x${"c1".repeat(20)}`;
const ROUTER: Address = `0x${"d1".repeat(20)}`;
const ANNA: Address = `0x${"e1".repeat(20)}`;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute(
		`insert into trading.asset (chain_id, address, kind, uid, symbol, skeleton, name, decimals,
			status, is_listed, checked_block, checked_at, first_seen_at, changed_at)
		select 4663, decode(a, 'hex'), 'stock', s, s, s, 'x', 18, status, true, 1, now(), now(), now()
		from (values ($1, 'TSLA', 'active'), ($2, 'FAKE', 'rejected')) as t (a, s, status)`,
		[TSLA.slice(2), FAKE.slice(2)],
	);
});
afterAll(() => database?.drop());

const open = (micros: bigint | null) =>
	createTokenSource({
		...{ db: database.db, chainId: 4_663, contracts: new Map([[ROUTER, "the router"]]) },
		assets: {
			pools: () => [
				{ address: POOL, token0: TSLA, token1: ANNA, feeBps100: 1, liquidity: 1n, version: "v3" },
			],
		},
		reference: {
			last: async () =>
				micros === null ? null : { microsPerUnit: micros, ageMs: 0, market: "closed" },
		},
	});

test("a token has the registry's ticker, and its last price is sure, also of a closed market", async () => {
	expect(await open(5n).symbolOf(TSLA)).toBe("TSLA");
	expect(await open(5n).priceOf(TSLA)).toEqual({ kind: "sure", microsPerUnit: 5n });
	expect(await open(null).priceOf(TSLA)).toBeNull();
});

test("what is rejected, or not there, has neither ticker nor price", async () => {
	for (const address of [FAKE, ANNA]) {
		expect(await open(5n).symbolOf(address)).toBeNull();
		expect(await open(5n).priceOf(address)).toBeNull();
	}
});

test("contracts are told by what they are, and nobody else's address is one", async () => {
	const { contractNamed } = open(null);
	expect(await contractNamed(TSLA)).toBe("the contract of the token TSLA");
	expect(await contractNamed(FAKE)).toBe("the contract of the token FAKE");
	expect(await contractNamed(POOL)).toBe("a pool of the exchange");
	expect(await contractNamed(ROUTER)).toBe("the router");
	expect(await contractNamed(ANNA)).toBeNull();
});
