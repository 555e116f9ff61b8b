import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Queryable } from "#core/db/Database.ts";
import { killDenial, killSettings, lockSwitches } from "#plugins/wallets/control/kill.ts";
import { findSetting } from "#plugins/wallets/control/settings.ts";
import {
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("killDenial", () => {
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

	test("[TRD-09] an intent is denied by the kill switch of its plugin, with a stable code", async () => {
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
});

describe("killSettings", () => {
	const ID = "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69";
	const registered: string[] = [];
	const settings = killSettings({
		chains: createChainRegistry(builtinChains),
		plugins: () => registered,
	});
	const db: Queryable = {
		query: async (_text, values) => (values?.[0] === ID ? [JSON.parse("{}")] : []),
		execute: async () => 0,
	};
	const flawOf = async (key: string) => {
		const { setting, named } = findSetting(settings, key);
		return named === null ? null : setting.flaw?.(db, named);
	};

	test("a kill switch can be set for any defined chain, also one that is not indexed", async () => {
		expect(await flawOf("kill:chain:8453")).toBeNull();
		expect(await flawOf("kill:chain:4663")).toBeNull();
		expect(await flawOf("kill:chain:123456789")).toBe("No chain has the id 123456789.");
	});

	test("a plugin's kill switch exists once its kinds of intents are registered", async () => {
		expect(await flawOf("kill:plugin:transfers")).toContain("There are: none.");
		registered.push("transfers", "nft-buys", "nft-buys");
		expect(await flawOf("kill:plugin:transfers")).toBeNull();
		expect(await flawOf("kill:plugin:transfer")).toContain("There are: nft-buys, transfers.");
	});

	test("a wallet's kill switch exists if the wallet is or was linked here", async () => {
		expect(await flawOf(`kill:wallet:${ID}`)).toBeNull();
		expect(await flawOf(`kill:wallet:${ID.replace("0", "1")}`)).toContain("No wallet has the id");
	});

	test("each kill switch accepts true and false, and no other value", () => {
		for (const { schema } of settings) {
			expect([true, false].every((value) => schema.safeParse(value).success)).toBe(true);
			for (const value of ["true", 1, null, undefined]) {
				expect(schema.safeParse(value).success).toBe(false);
			}
		}
	});
});

describe("lockSwitches", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	/** Which locks of the switches somebody holds now. */
	const held = () =>
		database.db.query<{ mode: string }>(
			`select mode from pg_locks where locktype = 'advisory' and granted
			and database = (select oid from pg_database where datname = current_database())
		order by mode`,
		);

	test("senders share the lock, and release it on commit and on failure", async () => {
		const failing = database.db.transaction(async (tx) => {
			await lockSwitches(tx, "sender");
			await database.db.transaction(async (other) => {
				await lockSwitches(other, "sender");
				expect(await held()).toEqual([{ mode: "ShareLock" }, { mode: "ShareLock" }]);
			});
			expect(await held()).toEqual([{ mode: "ShareLock" }]);
			throw new Error("the reservation failed");
		});
		expect(await failing.catch((error: Error) => error.message)).toBe("the reservation failed");
		expect(await held()).toEqual([]);
	});

	test("an operator holds the lock exclusively until the change is committed", async () => {
		await database.db.transaction(async (tx) => {
			await lockSwitches(tx, "operator");
			expect(await held()).toEqual([{ mode: "ExclusiveLock" }]);
		});
		expect(await held()).toEqual([]);
	});
});
