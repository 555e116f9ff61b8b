import { afterAll, beforeAll } from "bun:test";
import type { Anvil } from "#test/harness/anvil.ts";
import { openTradeLab } from "#test/harness/openTradeLab.ts";
import { registerStocks, startStockChain } from "#test/harness/stockChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import type { StockWorld } from "#test/sandbox/stocks/openStockWorld.ts";
import {
	type RouterEmulator,
	startRouterEmulator,
} from "#test/sandbox/stocks/router/startRouterEmulator.ts";

/**
 * Gives a test file a database, a node with the stocks, and the hosted router over it. `open` opens
 * a lab of trades over them, with the environment's variables, and names the next account.
 */
export function useTradeLab() {
	let database: TestDatabase;
	let anvil: Anvil;
	let world: StockWorld;
	let router: RouterEmulator;
	let account = 0;
	beforeAll(async () => {
		[database, { anvil, world }] = await Promise.all([createTestDatabase(), startStockChain()]);
		await registerStocks(database.db, world);
		router = startRouterEmulator({ rpcUrl: anvil.url });
	});
	afterAll(async () => {
		await router?.stop();
		await anvil?.stop();
		await database?.drop();
	});
	return {
		get router() {
			return router;
		},
		open(env: Record<string, unknown> = {}) {
			account = (account % 9) + 1;
			return { account, world, lab: openTradeLab({ db: database.db, anvil, world, env }) };
		},
	};
}
