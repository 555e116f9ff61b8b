import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { verifyChain } from "#core/audit/verifyChain.ts";
import type { TradingSetting } from "#plugins/wallets/contract.ts";
import { readKill } from "#plugins/wallets/control/killDenial.ts";
import {
	NOW_MS,
	openControl,
	prepareControl,
	WALLET_ID,
} from "#plugins/wallets/control/testing/controlLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const slippage: TradingSetting = {
	shown: "slippage-bps",
	key: /^slippage-bps$/,
	schema: z.object({ bps: z.int().min(0).max(500), note: z.string().default("none") }),
	description: "How far a price may move.",
};

let database: TestDatabase;
let control: ReturnType<typeof openControl>;
beforeAll(async () => {
	database = await createTestDatabase();
	await prepareControl(database.db);
});
beforeEach(async () => {
	await database.db.execute("delete from wallets.control");
	control = openControl(database.db, [slippage]);
});
afterAll(() => database.drop());

const scope = { chainId: 8453, plugin: "nft-buys", walletId: WALLET_ID };
const other = {
	chainId: 1,
	plugin: "transfers",
	walletId: "0198c1d2-7f1e-7a55-9f30-000000000002",
};
const killed = (by: typeof scope) => database.db.transaction((tx) => readKill(tx, by));
const AT = new Date(NOW_MS).toISOString();

for (const [key, spares] of [
	["kill:all", false],
	["kill:chain:8453", true],
	["kill:plugin:nft-buys", true],
	[`kill:wallet:${WALLET_ID}`, true],
] as const) {
	test(`[TRD-09] ${key} holds back what it names${spares ? " and nothing else" : ""}, until it is off`, async () => {
		expect(await killed(scope)).toBeNull();
		const { status, body } = await control.put(key, true, "ann");
		expect({ status, body }).toEqual({
			status: 200,
			body: { key, value: true, previous: null, changedBy: "operator:ann", changedAt: AT },
		});
		expect(await killed(scope)).toBe(key);
		expect(await killed(other)).toBe(spares ? null : key);
		const off = await control.put(key, false, "bob");
		expect(off.body).toMatchObject({ value: false, previous: true, changedBy: "operator:bob" });
		expect(await killed(scope)).toBeNull();
	});
}

test("[SEC-06] each change is in the audit log with its actor, before and after", async () => {
	const begun = (await control.audited()).length;
	await control.put("kill:all", true, "ann");
	control.clock.ms += 60_000;
	await control.put("kill:all", false);
	await control.put("kill:all", false);
	const entry = { action: "trading.setting.changed", subject: "setting:kill:all" };
	expect((await control.audited()).slice(begun)).toMatchObject([
		{ ...entry, actor: "operator:ann", at: AT, detail: { before: null, after: true } },
		{ ...entry, actor: "operator:unnamed", detail: { before: true, after: false } },
		{ ...entry, actor: "operator:unnamed", detail: { before: false, after: false } },
	]);
	expect(await verifyChain(database.db)).toMatchObject({ kind: "whole" });
});

test("[SEC-06] a change that cannot be written down is not made", async () => {
	const { db } = database;
	await db.execute(
		"alter table core.audit_entry add constraint full_disk check (seq < 0) not valid",
	);
	try {
		expect((await control.put("kill:all", true)).status).toBe(500);
		expect(await killed(scope)).toBeNull();
	} finally {
		await db.execute("alter table core.audit_entry drop constraint full_disk");
	}
});

test("the list says what is set, by whom, and what can be set to what", async () => {
	await control.put("kill:chain:8453", true, "ann");
	control.clock.ms += 1_000;
	await control.put("kill:all", false, "bob");
	const { status, headers, body } = await control.list();
	expect({ status, cache: headers.get("cache-control") }).toEqual({
		status: 200,
		cache: "no-store",
	});
	expect(body.settings).toEqual([
		{
			key: "kill:all",
			value: false,
			changedBy: "operator:bob",
			changedAt: new Date(NOW_MS + 1_000).toISOString(),
		},
		{ key: "kill:chain:8453", value: true, changedBy: "operator:ann", changedAt: AT },
	]);
	expect(body.hasMore).toBe(false);
	expect(body.known.map(({ key }: { key: string }) => key)).toEqual([
		"kill:all",
		"kill:chain:<id>",
		"kill:plugin:<name>",
		"kill:wallet:<id>",
		"rebroadcast",
		"slippage-bps",
	]);
	expect(body.known[0].valueSchema).toMatchObject({ type: "boolean" });
});

test("a setting of another plugin's is checked by its own schema, and stored as that makes it", async () => {
	const set = await control.put("slippage-bps", { bps: 50 });
	expect(set.body).toMatchObject({ value: { bps: 50, note: "none" }, previous: null });
	const again = await control.put("slippage-bps", { bps: 60, note: "volatile" });
	expect(again.body.previous).toEqual({ bps: 50, note: "none" });
});

test("a key may come with its colons encoded", async () => {
	expect((await control.put("kill%3Aall", true)).body.key).toBe("kill:all");
});
