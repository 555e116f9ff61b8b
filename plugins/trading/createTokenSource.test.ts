import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { createTokenSource } from "#plugins/trading/createTokenSource.ts";
import type { PoolDay } from "#plugins/trading/prices/createPoolAverages.ts";
import type { PriceWord } from "#plugins/trading/prices/createReference.ts";
import { assetOf, type Pool } from "#plugins/trading/registry/createAssets.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: other plugins hear a token's ticker and price from the registry alone, and what each
// contract of trading is; of a rejected token they hear that it is a contract, and no more.

const TSLA: Address = `0x${"00".repeat(19)}a1`;
const FAKE: Address = `0x${"00".repeat(19)}b2`;
const POOL: Address = `0x${"c1".repeat(20)}`;
const ROUTER: Address = `0x${"d1".repeat(20)}`;
const USDG: Address = `0x${"d0".repeat(20)}`;
const ANNA: Address = `0x${"e1".repeat(20)}`;
const DOLLAR = 1_000_000n;
const OPEN: PriceWord = { kind: "open", microsPerUnit: 5n };

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
	const usdg = { symbol: "USDG", address: USDG, kind: "stable", decimals: 6, uid: null } as const;
	await database.db.transaction((tx) => assetRows.write(tx, newAssetRow(usdg)));
});
afterAll(() => database?.drop());

const pool: Pool = {
	...{ address: POOL, token0: TSLA, token1: USDG, feeBps100: 1, liquidity: 1n, version: "v3" },
};

/** A source whose feeds say this, and whose pool stood at these ticks for half a day. */
const open = (word: PriceWord, day: PoolDay | null = null, isAside = false) =>
	createTokenSource({
		...{ db: database.db, chainId: 4_663, contracts: new Map([[ROUTER, "the router"]]) },
		unpricedUsdMicrosMax: 200n * DOLLAR,
		assets: {
			pools: () => (isAside ? [] : [pool]),
			setAside: () => (isAside ? [{ pool, flaw: "price", offBps: 9_000, boundBps: 100 }] : []),
			read: async (db, address) => {
				const row = await assetRows.read(db, 4_663, address);
				return row && assetOf(row);
			},
		},
		averages: { day: async () => new Map(day ? [[POOL, day]] : []) },
		reference: {
			word: async ({ kind }) => {
				return kind === "stable" ? { kind: "open", microsPerUnit: DOLLAR } : word;
			},
		},
	});

/** About $1,202 for a whole one of 18 decimals in units of 6. */
const TICK = -205_400;
const recorded = { least: TICK - 500, greatest: TICK, liquidity: 10n ** 22n };

test("a token's price is certain only with an open market and a valid feed", async () => {
	const price = { kind: "open", microsPerUnit: 5n } as const;
	expect(await open(price, recorded).symbolOf(TSLA)).toBe("TSLA");
	expect(await open(price, recorded).priceOf(TSLA)).toEqual({ kind: "sure", microsPerUnit: 5n });
});

describe("a price without an open feed is the highest known one, and needs its owner's confirmation", () => {
	const askedMicrosMax = 200n * DOLLAR;
	test("a broken feed: its last price, or our record's if that is higher", async () => {
		const word: PriceWord = { kind: "broken", lastMicros: 1_100n * DOLLAR };
		const last = { kind: "unsure", microsPerUnit: 1_100n * DOLLAR, askedMicrosMax } as const;
		expect(await open(word).priceOf(TSLA)).toEqual(last);
		expect(await open(word, recorded).priceOf(TSLA)).toEqual(await byRecord());
	});
	const byRecord = () => open({ kind: "none" }, recorded).priceOf(TSLA);
	test("a token without a feed: our record's highest price of the day", async () => {
		const price = await byRecord();
		expect(price).toMatchObject({ kind: "unsure", askedMicrosMax });
		const dollars = Number((price?.microsPerUnit ?? 0n) / DOLLAR);
		expect(dollars).toBe(Math.floor(1.0001 ** TICK * 1e12));
	});
	test("a token without any price in feed and record: unknown", async () => {
		expect(await open({ kind: "broken", lastMicros: null }).priceOf(TSLA)).toBeNull();
		expect(await open({ kind: "none" }).priceOf(TSLA)).toBeNull();
	});
});

test("the last close of a closed market is a certain price, and our record may only raise it", async () => {
	const word: PriceWord = { kind: "closed", microsPerUnit: 1_100n * DOLLAR };
	const low = { ...recorded, least: TICK - 3_000, greatest: TICK - 2_500 };
	for (const day of [null, low]) {
		const price = { kind: "sure", microsPerUnit: 1_100n * DOLLAR } as const;
		expect(await open(word, day).priceOf(TSLA)).toEqual(price);
	}
	const raised = await open(word, recorded).priceOf(TSLA);
	expect(raised).toMatchObject({ kind: "sure" });
	expect(raised?.microsPerUnit).toBeGreaterThan(1_200n * DOLLAR);
});

test("known contracts have their name, and any other address has none", async () => {
	const thin = { ...recorded, liquidity: 10n ** 15n };
	expect(await open({ kind: "none" }, thin).priceOf(TSLA)).toBeNull();
});

test("a rejected or unknown token has neither ticker nor price", async () => {
	for (const address of [FAKE, ANNA]) {
		expect(await open(OPEN).symbolOf(address)).toBeNull();
		expect(await open(OPEN).priceOf(address)).toBeNull();
	}
});

test("known contracts have their name, and any other address has none", async () => {
	const { contractNamed } = open({ kind: "none" });
	expect(await contractNamed(TSLA)).toBe("the contract of the token TSLA");
	expect(await contractNamed(FAKE)).toBe("the contract of the token FAKE");
	expect(await contractNamed(POOL)).toBe("a pool of the exchange");
	expect(await contractNamed(ROUTER)).toBe("the router");
	expect(await contractNamed(ANNA)).toBeNull();
});

test("a pool that no trade uses is still recognised as a contract, and its record counts", async () => {
	const [used, aside] = [open({ kind: "none" }, recorded), open({ kind: "none" }, recorded, true)];
	expect(await aside.contractNamed(POOL)).toBe("a pool of the exchange");
	expect(await aside.priceOf(TSLA)).not.toBeNull();
	expect(await aside.priceOf(TSLA)).toEqual(await used.priceOf(TSLA));
});
