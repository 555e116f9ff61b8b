import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { stockNames } from "#plugins/trading/stockTools.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the registry says which groups of words are tickers and companies' names.

const CHAIN_ID = 4_663;
let database: TestDatabase;
let find: (...groups: string[]) => Promise<Record<string, string>>;

beforeAll(async () => {
	database = await createTestDatabase();
	const book = stockNames(database.db, CHAIN_ID);
	find = async (...groups) =>
		Object.fromEntries(
			[...(await book.find(groups))].map(([text, name]) => [
				text,
				name.kind === "asset" ? name.ticker : "",
			]),
		);
	const rows = [
		["AAPL", "Apple"],
		["TSLA", "Tesla token"],
		["SPY", "SPDR S&P 500 ETF - Robinhood Token"],
		["META", "Meta Platforms, Inc."],
		["BRK.B", "Berkshire Hathaway Inc. Class B • Token"],
		["GOOGL", "Alphabet Inc. Class A"],
		["GOOG", "Alphabet Inc. Class C"],
		["APPLE", "Apple Hospitality"],
	] as const;
	await database.db.transaction(async (tx) => {
		for (const [n, [symbol, name]] of rows.entries()) {
			await assetRows.write(tx, newAssetRow({ symbol, name, address: addressOf(n) }));
		}
		const rejected = { symbol: "FAKE", name: "Fake", status: "rejected" } as const;
		await assetRows.write(tx, newAssetRow({ ...rejected, address: addressOf(90) }));
		const coin = { symbol: "USDG", name: "Global Dollar", kind: "stable" } as const;
		await assetRows.write(tx, newAssetRow({ ...coin, address: addressOf(91) }));
	});
});
afterAll(() => database?.drop());

function addressOf(n: number): Address {
	return `0x${String(n + 10).repeat(20)}`;
}

test("stocks are found by ticker, and by company name with and without its legal ending", async () => {
	expect(
		await find("aapl", "meta", "meta platforms", "brk.b", "berkshire hathaway", "price"),
	).toEqual({
		aapl: "AAPL",
		meta: "META",
		"meta platforms": "META",
		"brk.b": "BRK.B",
		"berkshire hathaway": "BRK.B",
	});
});

test("words that issuers add behind a company's name may be left out", async () => {
	expect(await find("tesla", "tesla token", "spdr s&p 500", "robinhood token")).toEqual({
		tesla: "TSLA",
		"tesla token": "TSLA",
		"spdr s&p 500": "SPY",
	});
});

test("a ticker takes precedence over a company's name, and a name of two tokens finds neither", async () => {
	expect(await find("apple", "alphabet", "apple hospitality")).toEqual({
		apple: "APPLE",
		"apple hospitality": "APPLE",
	});
});

test("rejected tokens and currencies are not listed as stocks", async () => {
	expect(await find("fake", "usdg", "global dollar")).toEqual({});
	expect(await find()).toEqual({});
});
