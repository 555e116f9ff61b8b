import { expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Queryable } from "#core/db/Database.ts";
import { findSetting } from "#plugins/wallets/control/changeSetting.ts";
import { killSettings } from "#plugins/wallets/control/killSettings.ts";

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

test("a switch stands for a chain that is defined, also one that is not indexed", async () => {
	expect(await flawOf("kill:chain:8453")).toBeNull();
	expect(await flawOf("kill:chain:4663")).toBeNull();
	expect(await flawOf("kill:chain:123456789")).toBe("No chain has the id 123456789.");
});

test("a plugin counts from when it has registered what it sends", async () => {
	expect(await flawOf("kill:plugin:transfers")).toContain("There are: none.");
	registered.push("transfers", "nft-buys", "nft-buys");
	expect(await flawOf("kill:plugin:transfers")).toBeNull();
	expect(await flawOf("kill:plugin:transfer")).toContain("There are: nft-buys, transfers.");
});

test("a wallet is one that is or was linked here", async () => {
	expect(await flawOf(`kill:wallet:${ID}`)).toBeNull();
	expect(await flawOf(`kill:wallet:${ID.replace("0", "1")}`)).toContain("No wallet has the id");
});

test("each takes true and false, and nothing that looks like them", () => {
	for (const { schema } of settings) {
		expect([true, false].every((value) => schema.safeParse(value).success)).toBe(true);
		for (const value of ["true", 1, null, undefined]) {
			expect(schema.safeParse(value).success).toBe(false);
		}
	}
});
