import { afterAll, beforeAll, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { createAssets } from "#plugins/trading/registry/createAssets.ts";
import { type AssetStatus, assetRows } from "#plugins/trading/sql/assets.ts";
import { newAssetRow } from "#plugins/trading/testing/newAssetRow.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a text means the one token that has exactly that ticker or address, or none.

const chain = builtinChains.find(({ id }) => id === 4_663);
if (!chain) throw new Error("no chain 4663");
const assets = createAssets({ chain, pools: () => [] });
const at = (index: number): Address => `0x${(index + 0xa0).toString(16).padStart(40, "0")}`;

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	const rows: [string, AssetStatus][] = [
		["TSLA", "active"],
		["HALT", "paused"],
		["OLDX", "delisted_pending_review"],
		["FAKE", "rejected"],
		["BRK.B", "active"],
	];
	await database.db.transaction(async (tx) => {
		for (const [index, [symbol, status]] of rows.entries()) {
			await assetRows.write(tx, newAssetRow({ symbol, status, address: at(index) }));
		}
		const other = newAssetRow({ symbol: "TSLA", address: at(0), chainId: 42_161 });
		await assetRows.write(tx, other);
	});
});
afterAll(() => database?.drop());

const find = (text: string) => assets.find(database.db, text);

test.each(["TSLA", "tsla", "$TSLA", " $tsla ", at(0), at(0).toUpperCase().replace("0X", "0x")])(
	"%s finds Tesla on this chain",
	async (text) => {
		expect(await find(text)).toMatchObject({
			...{ kind: "asset" },
			asset: { symbol: "TSLA", address: at(0), chainId: 4_663, status: "active", checkedBlock: 7n },
		});
	},
);

test.each([
	...["TS1A", "ТSLA", "ｔｓｌａ", "TSLA\u200b", "TSL A", "$$TSLA", "", "$", "TSLAX", "FAKE"],
	...["0x12", at(99), "'; drop table trading.asset; --", "x".repeat(10_000)],
])("%j finds no token", async (text) => {
	expect(await find(text)).toEqual({ kind: "unknown" });
});

test("a dot is part of a ticker, and the coin is ETH", async () => {
	expect(await find("brk.b")).toMatchObject({ asset: { symbol: "BRK.B" } });
	const coin = { address: ZERO_ADDRESS, kind: "native", symbol: "ETH", decimals: 18 };
	expect(await find("$eth")).toMatchObject({ asset: coin });
	expect(await assets.read(database.db, ZERO_ADDRESS)).toMatchObject(coin);
});

test("a paused or rejected token is unverified, and a delisted one is marked as delisted", async () => {
	expect(await find("HALT")).toMatchObject({ asset: { status: "unverified" } });
	expect(await find("OLDX")).toMatchObject({ asset: { status: "delisted_pending_review" } });
	expect(await assets.read(database.db, at(3))).toMatchObject({ status: "unverified" });
	expect(await assets.read(database.db, at(99))).toBeNull();
});
