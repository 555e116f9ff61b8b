// Gives a test file the plugin over a scripted chain, and names the contracts of a launched token.

import { afterAll, beforeAll, beforeEach } from "bun:test";
import {
	BURNER,
	createFakeTokenChain,
	type FakeTokenChain,
	ROUTER,
	TOKEN,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import { openTokenLab } from "#plugins/tokenomics/testing/openTokenLab.ts";
import type { SettledTrade } from "#plugins/trading/contract.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

/** Configures the token with its router and burner. */
export const LAUNCHED = {
	TOKEN_ADDRESS: TOKEN,
	REVENUE_ROUTER_ADDRESS: ROUTER,
	BUYBACK_BURN_ADDRESS: BURNER,
};
export const WEI = 10n ** 18n;
/** Counts the blocks after which what came before is final. */
export const AFTER_FINAL = 64;

export type TokenLab = Awaited<ReturnType<typeof openTokenLab>>;

/** Gives a test file a database, and each test its own chain. Returns what opens the plugin. */
export function useTokenLab() {
	let database: TestDatabase;
	let chain: FakeTokenChain;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(() => {
		chain = createFakeTokenChain();
	});
	return {
		get chain() {
			return chain;
		},
		/** Opens the plugin with empty tables. */
		async open(env: Record<string, string>, trades: readonly SettledTrade[] = []) {
			const lab = await openTokenLab({ db: database.db, rpc: chain.rpc, env, trades });
			await lab.clear();
			return lab;
		},
	};
}
