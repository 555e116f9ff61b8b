import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Intent } from "#plugins/wallets/contract.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import {
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
});
afterAll(() => database.drop());

const kinds: Record<string, string> = { "nft-buy": "nft-buys", "wallet-transfer": "transfers" };
const deps = {
	kindOf: (name: string) => (kinds[name] ? { plugin: kinds[name] } : null),
} as unknown as ExecutionDeps;

const denialOf = (kind: string) =>
	database.db.transaction((tx) => {
		const intent = { kind, chainId: 8453, walletId: WALLET_ID } as Intent;
		return killDenial(deps, tx, intent);
	});

test("[TRD-09] a kind is held back by the switch of the plugin that registered it, by a stable code", async () => {
	const { put } = openControl(database.db);
	expect(await denialOf("nft-buy")).toBeNull();
	await put("kill:plugin:nft-buys", true);
	expect(await denialOf("nft-buy")).toMatchObject({ code: "trading_disabled" });
	expect(await denialOf("wallet-transfer")).toBeNull();
	// A kind whose plugin is gone is held back by its own name.
	expect(await denialOf("nft-buys")).toMatchObject({ code: "trading_disabled" });
	await put("kill:plugin:nft-buys", false);
	expect(await denialOf("nft-buy")).toBeNull();
	await put("kill:all", true);
	expect(await denialOf("wallet-transfer")).toMatchObject({ code: "trading_disabled" });
});
