import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	openTradeLab,
	registerStocks,
	startStockChain,
	type TradeLab,
} from "#plugins/trading/testing/tradeLab.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";

// Guarantee: a command ends in one swap of exactly what its quote says, or in a refusal with a code.

let database: TestDatabase;
let anvil: Anvil;
let world: StockWorld;
let lab: TradeLab;
beforeAll(async () => {
	[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
	await registerStocks(database.db, world);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});
beforeEach(() => {
	lab = openTradeLab({ db: database.db, anvil, world });
});

const USDG = () => world.addresses.usdg.toLowerCase();

describe("a buy with the coin itself", () => {
	test("is one swap that gives exactly what the chain's quoter says, and is settled exactly", async () => {
		const by = await lab.trader();
		const tsla = world.stock("TSLA").address;
		const before = await lab.balance(tsla, by.wallet.address);
		const { status, body } = await lab.trade(by, "buy $TSLA with 0.5 ETH");
		expect({ status, body }).toMatchObject({
			status: 201,
			body: { kind: "buy", status: "submitted", errorCode: null, exact: "in" },
		});
		expect(body.amountRaw).toBe(String(5n * 10n ** 17n));
		expect(body.plan.simulation).toEqual({
			spentRaw: body.amountRaw,
			receivedRaw: body.expectedRaw,
		});
		expect(lab.sent).toHaveLength(1);
		const trade = await lab.settled(by, body.id);
		expect(trade.status).toBe("confirmed");
		const got = (await lab.balance(tsla, by.wallet.address)) - before;
		expect(String(got)).toBe(trade.expectedRaw);
		expect(trade.settled).toMatchObject({
			receivedRaw: trade.expectedRaw,
			spentRaw: trade.amountRaw,
		});
		expect(trade.quotes).toMatchObject([{ source: "local", isTaken: true, code: null }]);
	});
});
