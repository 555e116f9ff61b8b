import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { unknownAsset } from "#plugins/trading/trade/assessTrade.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whoever names something that cannot be traded is told what may be meant, in words.

const CHAIN_ID = 4_663;
const at = (index: number): Address => `0x${(index + 0xa0).toString(16).padStart(40, "0")}`;
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.transaction(async (tx) => {
		for (const [index, symbol] of ["TSLA", "COIN", "GOOG", "GOOGL"].entries()) {
			await assetRows.write(tx, newAssetRow({ symbol, address: at(index) }));
		}
		const gone = newAssetRow({ symbol: "MSFT", address: at(9), status: "delisted_pending_review" });
		await assetRows.write(tx, gone);
	});
});
afterAll(() => database?.drop());

const NFT = "For an NFT: buy <collection> #<id> for at most <amount> eth.";

test.each([
	["degods", "bought", `No stock token here is called "degods". ${NFT}`],
	["TSLAA", "bought", 'No stock token here is called "TSLAA". The nearest ticker is TSLA.'],
	["$tsal", "sold", 'No stock token here is called "$tsal". The nearest ticker is TSLA.'],
	["C0IN", "bought", 'No stock token here is called "C0IN". The nearest ticker is COIN.'],
	// Two are near; one that left the list is not named; two letters are near to everything.
	["GOOGX", "bought", `No stock token here is called "GOOGX". ${NFT}`],
	["MSF", "bought", `No stock token here is called "MSF". ${NFT}`],
	["TS", "bought", `No stock token here is called "TS". ${NFT}`],
	["pepe", "sold", 'No stock token here is called "pepe". Each token is in GET /v1/stock-tokens.'],
	["DOGE", "settlement", 'Nothing is settled in "DOGE" here. Name ETH, WETH or USDG.'],
] as const)("%s, %s, is answered with what is known", async (text, as, detail) => {
	const denial = await unknownAsset({ db: database.db, chainId: CHAIN_ID }, { text, as });
	expect(denial).toEqual({ code: "asset_not_registered", detail });
});
